"""The models of Vehtari and Lampinen's report by Markov chain Monte Carlo: networks and Gaussian processes, and their
residual models."""

"""Gaussian processes under any residual model: latent values, chains, and sampling on any arrays."""

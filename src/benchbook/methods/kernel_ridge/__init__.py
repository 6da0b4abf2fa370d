"""Ridge regression on kernels: features, exact leave-one-out residuals, and models of the variance."""

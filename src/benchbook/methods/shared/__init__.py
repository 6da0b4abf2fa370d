"""What methods of several families share: scales, threads, the variance floor, draws, residual models, diagnostics."""

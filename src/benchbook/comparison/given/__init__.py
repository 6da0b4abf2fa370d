"""Results in hand: scores, losses and predictions that came from elsewhere, read and compared."""

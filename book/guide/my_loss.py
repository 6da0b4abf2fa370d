import numpy as np

from benchbook.losses.own import loss


@loss(unit="cost of one too much", proper="proper")
def shortage(prediction, targets):
    """Too little costs three times as much as too much."""
    stock = prediction.quantile([0.75])[:, 0]
    short = np.maximum(targets - stock, 0)
    return 3 * short + np.maximum(stock - targets, 0)

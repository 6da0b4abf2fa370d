"""Losses: what a prediction costs, case by case or for a whole set; smaller is better.

Adding a loss is adding one file to this folder: a class derived from PointLoss, DistributionLoss or SetLoss, and one
instance of it at the end.
"""

from benchbook.losses.base import DistributionLoss, Loss, PointLoss, SetLoss
from benchbook.losses.registry import available, get, register, standardise

__all__ = ["DistributionLoss", "Loss", "PointLoss", "SetLoss", "available", "get", "register", "standardise"]

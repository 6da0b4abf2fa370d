"""Learners of today's libraries that say how sure they are: one file each, and an optional extra for the libraries.

None is needed for the book, which reads their archived runs. ``pip install '.[today]'`` in a checkout gets them, at the
versions of ``requirements-today.txt``.
"""

from benchbook.methods.today.catboost import catboost_1
from benchbook.methods.today.lightgbm import lightgbm_quantiles_1
from benchbook.methods.today.ngboost import ngboost_1

__all__ = ["catboost_1", "lightgbm_quantiles_1", "ngboost_1"]

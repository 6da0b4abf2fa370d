"""The settings of the report's Gaussian processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchbook.methods.gaussian_processes.residuals.priors import LOGISTIC, CovariancePrior
from benchbook.methods.gaussian_processes.residuals.regression import Priors
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.settings import setting


@dataclass(frozen=True)
class GPSettings:
    """What is sampled and for how long; the numbers of sweeps and moves are ours.

    Without columns of ``spread`` the logarithm of the residual variance is, for the kinds "in" and "it", a Gaussian
    process of all inputs. With ``shared`` several outputs share all parameters, as in the report (4 of them for the
    robot arm: eta, two rho and sigma_e; the level l of the rho is a fifth here). An evaluation takes time in proportion
    to the cube of the number of cases.
    """

    draws: int = setting(100, "states that predict, as in the report", least=1)
    warm: int = setting(100, "sweeps thrown away, in which the moves are tuned", least=1)
    thin: int | None = setting(
        None,
        "sweeps from one draw to the next; None for 2 with classes, 3 with Normal "
        "residuals, else 4, and fewer when cases are many",
        least=1,
    )
    spread: tuple[int, ...] | None = setting(
        None,
        "columns of the inputs that say by being above their least value "
        "which residual group a case is of",
        least=0,
    )
    shared: bool = setting(True, "whether several outputs share all parameters")
    search: int = setting(100, "the most iterations of the search for the start", least=1)
    slices: int = setting(20, "of the spread, a sweep", least=0)
    most: int = setting(1200, "the most training cases", least=2)
    priors: Priors = field(default_factory=Priors)
    classes: CovariancePrior = LOGISTIC
    tuning: Leaps = Leaps()

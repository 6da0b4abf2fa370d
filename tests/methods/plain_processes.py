"""Gaussian processes by GPyTorch: what the chapter *Calibration of today’s methods* lays ours beside.

    python tests/methods/plain_processes.py data/simulated/plain-processes.parquet

Needs torch and gpytorch (made with 2.13.0 and 1.15.2, on the processor) beside this package, of which are the cases,
the scale of the targets, and nothing else. Some minutes of a core.
"""

import math
import sys

import gpytorch
import numpy as np
import polars as pl
import torch
from gpytorch.constraints import Positive
from gpytorch.kernels import (
    ConstantKernel,
    InducingPointKernel,
    LinearKernel,
    RBFKernel,
    ScaleKernel,
)

from benchbook import tasks
from benchbook.predictive import Gaussian

INSTANCES = {
    "kin-8nm-sim/dist/std.64": (0, 1),
    "pumadyn-8nm-sim/accel/std.64": (0, 1),
    "kin-8nm-sim/dist/std.1024": (0,),
    "pumadyn-8nm-sim/accel/std.1024": (0,),
}
SHOWN = 50  # test cases whose means and standard deviations are kept
STEPS, RATE, INDUCING = 200, 0.1, 500
EXP = {"transform": torch.exp, "inv_transform": torch.log}


class Process(gpytorch.models.ExactGP):
    """A mean, a covariance, and Gaussian noise."""

    def __init__(self, inputs, targets, likelihood, mean, covariance):
        super().__init__(inputs, targets, likelihood)
        self.mean_module, self.covar_module = mean, covariance

    def forward(self, inputs):
        return gpytorch.distributions.MultivariateNormal(
            self.mean_module(inputs), self.covar_module(inputs)
        )


def likeliest(model, steps, rate):
    """Adam on the marginal likelihood, as the library's tutorials do."""
    score = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        adam.zero_grad()
        loss = -score(model(*model.train_inputs), model.train_targets)
        loss.backward()
        adam.step()


def own(inputs, targets):
    """A constant mean and a squared exponential with a length scale for each input."""
    model = Process(
        inputs,
        targets,
        gpytorch.likelihoods.GaussianLikelihood(),
        gpytorch.means.ConstantMean(),
        ScaleKernel(RBFKernel(ard_num_dims=inputs.shape[1])),
    ).double()
    likeliest(model, STEPS, RATE)
    return model, None


def sparse(inputs, targets):
    """The same with inducing inputs, drawn from the cases and moved with the rest (SGPR)."""
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    chosen = inputs[torch.randperm(len(inputs))[:INDUCING]].clone()
    covariance = InducingPointKernel(
        ScaleKernel(RBFKernel(ard_num_dims=inputs.shape[1])), chosen, likelihood
    )
    model = Process(inputs, targets, likelihood, gpytorch.means.ConstantMean(), covariance).double()
    likeliest(model, STEPS, RATE)
    return model, None


def ours(inputs, targets):
    """The model and the prior of gp-map-1, put together of the library's parts: most probable hyperparameters."""
    count, d = inputs.shape
    smooth = ScaleKernel(
        RBFKernel(ard_num_dims=d, lengthscale_constraint=Positive(**EXP)),
        outputscale_constraint=Positive(**EXP),
    )
    linear, constant = LinearKernel(variance_constraint=Positive(**EXP)), ConstantKernel()
    likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=Positive(**EXP))
    model = Process(
        inputs, targets, likelihood, gpytorch.means.ZeroMean(), smooth + linear + constant
    ).double()
    constant.constant = torch.ones(1, dtype=torch.float64)
    constant.raw_constant.requires_grad_(False)
    middle = torch.tensor(
        [*[math.log(0.2 / d)] * d, 0.0, math.log(0.1 / d), math.log(0.2)], dtype=torch.float64
    )
    spread = torch.tensor([*[1.75] * d, 1.5, 2.0, 1.5], dtype=torch.float64)

    def logs():
        return torch.cat(
            [
                -2 * torch.log(smooth.base_kernel.lengthscale.flatten()),
                torch.log(
                    torch.stack(
                        [smooth.outputscale, linear.variance.squeeze(), likelihood.noise.squeeze()]
                    )
                ),
            ]
        )

    smooth.base_kernel.lengthscale = torch.exp(-middle[:d] / 2)
    smooth.outputscale, linear.variance, likelihood.noise = torch.exp(middle[d:])
    score = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    search = torch.optim.LBFGS(
        [part for part in model.parameters() if part.requires_grad],
        max_iter=300,
        tolerance_grad=1e-6,
        tolerance_change=1e-12,
        line_search_fn="strong_wolfe",
    )

    def energy():
        search.zero_grad()
        loss = (
            -count * score(model(inputs), targets)
            + ((logs() - middle) ** 2 / (2 * spread**2)).sum()
        )
        loss.backward()
        return loss

    search.step(energy)
    return model, logs().detach().numpy()


def standardised(instance):
    """Training and test inputs and training targets with mean 0 and standard deviation 1, and the targets' own."""
    centre, unit = instance.train_inputs.mean(axis=0), instance.train_inputs.std(axis=0)
    middle, scale = instance.train_targets.mean(), instance.train_targets.std()
    inputs, queries = (
        (part - centre) / unit for part in (instance.train_inputs, instance.test_inputs)
    )
    return (
        *(
            torch.tensor(part, dtype=torch.float64)
            for part in (inputs, (instance.train_targets - middle) / scale, queries)
        ),
        middle,
        scale,
    )


def lines(task, number, learner):
    """Mean NLPD in nats, and the first means and standard deviations on the scale of the standardised targets."""
    instance, actual = tasks.get(task).instance(number), tasks.get(task).test_targets(number)
    inputs, targets, queries, middle, scale = standardised(instance)
    torch.manual_seed(number + 1)
    model, result = learner(inputs, targets)
    model.eval()
    with torch.no_grad(), gpytorch.settings.fast_computations(False, False, False):
        predicted = model.likelihood(model(queries))
        mean, sd = predicted.mean.numpy(), predicted.stddev.numpy()
    reported = instance.decode(Gaussian(middle + scale * mean, (scale * sd) ** 2))
    centre, variance = reported.mean(), reported.variance()
    nlpd = np.mean(0.5 * np.log(2 * np.pi * variance) + (actual - centre) ** 2 / (2 * variance))
    same = {"task": task, "instance": number, "model": learner.__name__}
    values = [("NLPD", 0, nlpd)]
    values += [
        ("hyperparameter", index, value)
        for index, value in enumerate([] if result is None else result)
    ]
    values += [
        (kind, case, value)
        for kind, part in (("mean", mean), ("sd", sd))
        for case, value in enumerate(part[:SHOWN])
    ]
    return [
        same | {"kind": kind, "number": index, "value": float(value)}
        for kind, index, value in values
    ]


if __name__ == "__main__":
    rows = [
        row
        for task, numbers in INSTANCES.items()
        for number in numbers
        for learner in (ours, own, sparse)
        for row in lines(task, number, learner)
    ]
    pl.DataFrame(rows).write_parquet(sys.argv[1])

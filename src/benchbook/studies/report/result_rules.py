"""Rules about the error function, the runs, what is left out of them, and the results."""

from __future__ import annotations

from benchbook.studies.report.form import Form, shown


def error_function(form: Form) -> None:
    """The numbers can be made again from outputs and targets."""
    reported, over, percent = (
        form.get(f"error.{key}") for key in ("reported", "averaged_over", "percent")
    )
    needs = {"squared error percentage": {"cases", "outputs"}, "mean squared error": {"cases"}}.get(
        reported, set()
    )
    if over is not None and not needs <= set(over):
        form.refuse(
            "error.averaged_over",
            shown(over),
            f"{' and '.join(sorted(needs))}: otherwise it is no {reported}",
            "error function",
        )
    if reported == "squared error percentage" and percent is False:
        form.refuse(
            "error.percent", "false", "true, or another name in error.reported", "error function"
        )
    if percent:
        form.need(
            "error.output_range",
            "the error is a percentage",
            "least and largest output, so that others know of what it is a percentage",
            "error function",
        )
    mean = form.get("results.test_error.mean")
    if reported == "squared error percentage" and percent and mean is not None and mean > 100.0:
        form.doubt(
            "results.test_error.mean",
            str(mean),
            "at most 100, unless outputs leave their range: this is an "
            "error of more than the whole range",
            "error function",
        )
    if form.get("error.half"):
        form.doubt(
            "error.half",
            "true",
            "the error without the factor 1/2, which most people leave out of what they report",
            "error function",
        )
    if over == [] and reported != "sum of squared errors":
        form.doubt(
            "error.averaged_over",
            "[]",
            "the mean over the cases: a sum grows with their number",
            "error function",
        )


def classes(form: Form) -> None:
    """A classification gives both the error and the per cent wrong, and how a class comes about where it may not be by
    the largest output."""
    if form.get("problem.kind") == "classification":
        if form.absent("error.classes_by"):
            form.doubt(
                "error.classes_by",
                "nothing",
                "'winner takes all', as which it is read, or how else an output becomes a class",
                "class errors",
            )
        if form.absent("results.test_wrong.mean"):
            form.doubt(
                "results.test_wrong.mean",
                "nothing, and the problem is a classification",
                "mean per cent of test cases classified wrongly",
                "class errors",
            )
    elif (
        form.get("problem.kind") == "approximation"
        and form.get("results.test_wrong.mean") is not None
    ):
        form.refuse(
            "results.test_wrong.mean",
            str(form.get("results.test_wrong.mean")),
            "no per cent wrong: an approximation has no classes",
            "class errors",
        )


def several_runs(form: Form) -> None:
    """Enough runs, of a number that others have too."""
    total = form.get("runs.total")
    if total is None:
        return
    lead = total
    while lead % 10 == 0:
        lead //= 10
    if total < 10:
        form.doubt(
            "runs.total",
            str(total),
            "at least 10 runs: of fewer, mean and standard deviation say little",
            "several runs",
        )
    elif lead not in (1, 2, 3, 6):
        form.doubt(
            "runs.total",
            str(total),
            "10, 20, 30, 60 or ten times that, if nothing speaks against it",
            "several runs",
        )


def excluded(form: Form) -> None:
    """Runs left out are half of them, or a few outliers, by a rule that does not look at the test error itself."""
    total, out, how, by = (
        form.get(f"runs.{key}") for key in ("total", "excluded", "excluded_as", "excluded_by")
    )
    if total is None or not out:
        return
    for key, write in (
        ("excluded_as", "half, outliers or failed"),
        ("excluded_by", "the quantity that decided"),
        ("exclusion_rule", "the rule, with its numbers, and its reason"),
    ):
        form.need(f"runs.{key}", f"{out} of {total} runs are left out", write, "excluded runs")
    if how == "half" and 2 * out != total:
        form.refuse(
            "runs.excluded", str(out), f"exactly half of {total} runs, or none", "excluded runs"
        )
    if how == "half" and "test" in (by or ""):
        form.refuse(
            "runs.excluded_by",
            shown(by),
            "training error or validation error: without the runs that test "
            "worst, any method tests well",
            "excluded runs",
        )
    if how == "outliers" and out > total / 10:
        form.refuse(
            "runs.excluded",
            str(out),
            f"at most {total // 10} of {total}: more than a tenth are no outliers, "
            "and the distribution is another one than was assumed",
            "outliers",
        )
    if how == "failed":
        form.doubt(
            "runs.excluded",
            f"{out} failed",
            "the share of runs that fail as a result of its own: others who "
            "use the method will have them too",
            "excluded runs",
        )


def counted(form: Form) -> None:
    """Results are of one partition and of the runs that are left."""
    total, out, used = form.get("runs.total"), form.get("runs.excluded"), form.get("results.runs")
    if None not in (total, out, used) and used != total - out:
        form.refuse(
            "results.runs",
            str(used),
            f"{total - out}: {total} runs less {out} left out",
            "statistics",
        )
    name, of = form.get("partition.name"), form.get("results.partition")
    if name is not None and of is not None and name != of and not form.refused("partition.name"):
        form.refuse(
            "results.partition",
            shown(of),
            f"{name!r}, or a report of its own for {of}: a mean over "
            "partitions hides how far they are apart",
            "same partition",
        )


def times(form: Form) -> None:
    """What training cost can be understood."""
    if form.get("results.cpu_seconds.mean") is not None:
        form.need(
            "time.machine",
            "CPU seconds are given",
            "processor, language, and how efficient the software is",
            "times",
        )
    if not any(
        form.get(f"results.{name}.mean") is not None
        for name in ("total_epochs", "relevant_epochs", "traversals", "cpu_seconds")
    ):
        form.doubt(
            "results.traversals",
            "no training time at all",
            "connection traversals, or at least epochs",
            "times",
        )


RULES = (error_function, classes, several_runs, excluded, counted, times)

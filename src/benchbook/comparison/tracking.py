"""A comparison in MLflow's tracking: a run for it, and one below it for each method."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from benchbook.comparison import sentence, stored
from benchbook.comparison.outcome import Outcome
from benchbook.errors import BenchbookError

_MOST_CHARACTERS = 500
_OPTIONS = ("design", "effort", "seed", "reference")
_OF_ROW = {
    "difference": "worse_by",
    "diff_low": "worse_by_low",
    "diff_high": "worse_by_high",
    "p_holm": "p_holm",
}


def log_to_mlflow(comparison: Outcome) -> str:
    """Log a comparison, below the active run if there is one; see ``Comparison.log_to_mlflow``."""
    try:
        import mlflow
    except ImportError:
        raise BenchbookError("mlflow is not installed: pip install mlflow") from None
    target = "" if comparison.data is None else f" of {comparison.data.target}"
    with tempfile.TemporaryDirectory() as folder:
        page = stored.report(comparison, Path(folder) / "comparison.html")
        table = Path(folder) / "table.csv"
        comparison.table.write_csv(table)
        below = mlflow.active_run() is not None
        with mlflow.start_run(run_name=f"comparison{target}", nested=below) as run:
            mlflow.log_params(_params(comparison))
            mlflow.set_tags(_tags({"headline": sentence.headline(comparison).replace("**", "")}))
            for path in (page, table):
                mlflow.log_artifact(str(path))
            for name in [*dict.fromkeys(comparison.table["method"]), *comparison.errors]:
                with mlflow.start_run(run_name=name, nested=True):
                    mlflow.log_metrics(_metrics(comparison, name))
                    mlflow.set_tags(_tags(_about(comparison, name)))
    return str(run.info.run_id)


def _params(comparison: Outcome) -> dict[str, str]:
    asked = {name: comparison.settings.get(name) for name in _OPTIONS}
    known = {name: str(value) for name, value in asked.items() if value is not None}
    ropes = {f"rope {code}": f"{size:.6g}" for code, size in comparison.rope.items()}
    every = {
        **known,
        "splits": comparison.plan.words,
        "losses": ", ".join(comparison.codes),
        **ropes,
    }
    return {_key(name): text[:_MOST_CHARACTERS] for name, text in every.items()}


def _metrics(comparison: Outcome, method: str) -> dict[str, float]:
    """The finite numbers of a method: its mean by each loss, and by the first one how it differs."""
    found: dict[str, Any] = {}
    for code in comparison.codes:
        row = next((row for row in comparison.rows(code) if row["method"] == method), None)
        if row is None:
            continue
        sign = -1.0 if comparison.loss_info[code].higher else 1.0
        found[_key(code)] = None if row["mean"] is None else sign * row["mean"]
        if not comparison.withheld:
            found |= {_key(f"{code} {word}"): row[name] for name, word in _OF_ROW.items()}
    return {name: float(value) for name, value in found.items() if value is not None}


def _about(comparison: Outcome, method: str) -> dict[str, str]:
    if method in comparison.errors:
        return {"error": comparison.errors[method][0][1]}
    row = next((row for row in comparison.rows() if row["method"] == method), {})
    return {"verdict": "no verdict" if comparison.withheld else row.get("verdict") or ""}


def _tags(texts: dict[str, str]) -> dict[str, str]:
    return {f"benchbook.{name}": text for name, text in texts.items() if text}


def _key(name: str) -> str:
    """A name with the characters that MLflow allows."""
    return re.sub(r"[^\w\-. /]", "_", name)

"""What ``benchbook assess`` says of little input, and of a folder that cannot be made."""

import numpy as np
from click.testing import CliRunner

from benchbook.cli import app


def test_one_case_and_one_chain_are_not_plural_and_have_no_standard_error(tmp_path):
    np.save(tmp_path / "one.npy", np.random.default_rng(1).normal(size=(1, 500, 1)) * 0.1)
    said = CliRunner().invoke(app, ["assess", "loo", str(tmp_path / "one.npy")]).output
    assert "1 case, 1 chain of 500 draws" in said
    assert "nan" not in said


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path):
    np.save(tmp_path / "p.npy", np.random.default_rng(1).normal(size=(2, 500, 5)) * 0.1)
    (tmp_path / "file").write_text("")
    run = CliRunner().invoke(
        app, ["assess", "loo", str(tmp_path / "p.npy"), "--out", str(tmp_path / "file" / "x")]
    )
    assert run.exit_code == 2
    assert f"cannot write {tmp_path / 'file' / 'x'}: a part of that path is a file" in run.output

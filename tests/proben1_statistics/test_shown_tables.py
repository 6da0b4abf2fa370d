"""Runs on stand-ins where the archive has none."""

import polars as pl

from benchbook.pages.proben1_archived import SCHEMA, runs_or_stand_ins


def test_stand_ins_are_runs_of_the_same_columns(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path))
    table, note = runs_or_stand_ins(["proben1-linear", "proben1-noshort"], count=2)
    assert table.schema == pl.Schema(SCHEMA)
    assert set(table["method"]) == {"proben1-linear", "proben1-noshort"}
    assert table.height == 12 * 2 * 2
    assert "Stand-ins" in note.text

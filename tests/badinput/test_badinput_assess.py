"""Bad posteriors and targets, and bad requests to ``assess``, ``challenge``, ``delve`` and ``report``."""

import io

import numpy as np
import pytest
from click.testing import CliRunner

from benchbook.cli import app

DRAWS = "-1.25,-0.5\n" * 40
HEAD, TABLE = "log_lik.1,log_lik.2\n", "log_lik.1,log_lik.2\n" + DRAWS
LOO = "assess loo p.csv"
NUMBERED = "line 1"


def posterior(text: str | bytes, name: str = "p.csv") -> dict[str, object]:
    return {name: text}


def array(values: object, name: str = "p.npy") -> dict[str, object]:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(values))
    return {name: buffer.getvalue()}


POSTERIORS = [
    (
        "no header",
        posterior(DRAWS),
        LOO,
        (NUMBERED, "-1.25, -0.5", "put a line of names above the first draw"),
    ),
    ("no header, one column", posterior("-0.5\n" * 40), LOO, (NUMBERED, "-0.5")),
    ("no header, exponents", posterior("1e-3,2E5\n" + DRAWS), LOO, "1e-3, 2E5"),
    ("no header, whole draws", posterior("-1,-2\n" * 40), LOO, "-1, -2"),
    ("no header, zeros", posterior("0,0\n" * 40), LOO, (NUMBERED, "'0'")),
    ("no header, a chain", posterior("1,-0.5,-0.25\n" * 40), LOO, "-0.5, -0.25"),
    ("no header, not finite", posterior("nan,inf\n" + DRAWS), LOO, "nan, inf"),
    ("no header, blanks", posterior(" -1.5 , -0.5 \n" + DRAWS), LOO, "-1.5, -0.5"),
    ("a header with one draw in it", posterior("a,-0.5\n" + DRAWS), LOO, "found -0.5"),
    ("two columns of one name", posterior("a,a\n" + DRAWS), LOO, (NUMBERED, "'a'", "each once")),
    ("two columns without names", posterior(",\n" + DRAWS), LOO, NUMBERED),
    ("an empty file", posterior(""), LOO, "p.csv cannot be read as .csv"),
    ("an empty line", posterior("\n\n\n"), LOO, "p.csv"),
    ("only a header", posterior(HEAD), LOO, "a column for each case"),
    (
        "bytes that are no text",
        posterior(bytes(range(128, 256))),
        LOO,
        "p.csv cannot be read as .csv",
    ),
    ("words", posterior(HEAD + "-1,x\n" * 40), LOO, "column log_lik.2: found String"),
    ("a draw too few", posterior(TABLE + "-1\n"), LOO, "draw 40, case 1: found nan"),
    ("a draw too many", posterior(TABLE + "-1,-1,-1\n"), LOO, "p.csv cannot be read as .csv"),
    (
        "a number that is none",
        posterior(HEAD + "-1,NaN\n" * 40),
        LOO,
        "found nan, a missing value; a draw from the posterior",
    ),
    ("an infinite one", posterior(TABLE + "-1,-inf\n"), LOO, "draw 40, case 1: found -inf"),
    (
        "parameters and no log likelihoods",
        posterior("mu,sigma\n" + DRAWS),
        LOO,
        ("columns: found mu, sigma", "say which: --variable"),
    ),
    (
        "likelihoods and no logarithms",
        array(np.full((40, 2), 0.3)),
        "assess loo p.npy",
        "they seem to be likelihoods and not their logarithms",
    ),
    (
        "a question for which there are no predictions",
        posterior(TABLE),
        f"{LOO} --ask rmse",
        ("group posterior_predictive: found none", "group observed_data: found none"),
    ),
    (
        "groups that are not there",
        posterior(TABLE),
        f"{LOO} --groups site",
        "name: found site; there are none with a label for each case",
    ),
    (
        "groups of fewer cases",
        posterior(TABLE) | {"g.csv": "group\n1\n2\n3\n4\n"},
        f"{LOO} --groups g.csv",
        "one label for each of 2 cases",
    ),
    (
        "chains of different lengths",
        posterior("chain,log_lik.1\n0,-1\n0,-2\n1,-1\n"),
        LOO,
        "as many draws in every chain",
    ),
    (
        "no case",
        posterior("chain,draw\n" + "0,1\n" * 40),
        LOO,
        "none for a case; a column for each case",
    ),
    ("no array", posterior("x", "p.npy"), "assess loo p.npy", "p.npy cannot be read as .npy"),
    (
        "an array cut short",
        {"p.npy": array(np.zeros((40, 2)))["p.npy"][:200]},
        "assess loo p.npy",
        "cannot be read",
    ),
    (
        "an array of objects",
        posterior(
            b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), "
            b"}" + b" " * 58 + b"\n",
            "p.npy",
        ),
        "assess loo p.npy",
        "cannot be read",
    ),
    (
        "an array of one dimension",
        array(np.zeros(40)),
        "assess loo p.npy",
        "shape (40,); must be [draws, N cases]",
    ),
    (
        "an array of four dimensions",
        array(np.zeros((2, 2, 2, 2))),
        "assess loo p.npy",
        "shape (2, 2, 2, 2)",
    ),
    ("an array of no cases", array(np.zeros((40, 0))), "assess loo p.npy", "log likelihoods"),
    ("an array of no draws", array(np.zeros((0, 3))), "assess loo p.npy", "log likelihoods"),
    ("an array of words", array([["a", "b"]] * 40), "assess loo p.npy", "log likelihoods"),
    (
        "an array of complex numbers",
        array(np.full((40, 2), 1j)),
        "assess loo p.npy",
        "log likelihoods",
    ),
    (
        "no archive of arrays",
        posterior("x", "p.npz"),
        "assess loo p.npz",
        "p.npz cannot be read as .npz",
    ),
    (
        "no Parquet",
        posterior("x" * 40, "p.parquet"),
        "assess loo p.parquet",
        "cannot be read as .parquet",
    ),
    ("no netCDF", posterior("x" * 40, "p.nc"), "assess loo p.nc", "p.nc cannot be read as .nc"),
    (
        "another ending",
        posterior(TABLE, "p.txt"),
        "assess loo p.txt",
        "p.txt ends in .txt; log likelihoods are read",
    ),
    ("no ending", posterior(TABLE, "p"), "assess loo p", "p ends in nothing"),
    ("no file", {}, LOO, "there is no file p.csv"),
    ("a folder", {"p.csv": None}, LOO, "directory"),
    (
        "an unknown variable",
        array(np.zeros((40, 2))) | {"p.npz": "x"},
        "assess loo p.npz --variable q",
        "p.npz",
    ),
    (
        "a variable of a table",
        posterior(TABLE),
        f"{LOO} --variable q",
        "variable: found q; there are log_lik",
    ),
    (
        "a variable of an array",
        array(np.zeros((40, 2))),
        "assess loo p.npy --variable q",
        "p.npy has one variable",
    ),
    (
        "a place below a file",
        posterior(TABLE) | {"f": ""},
        f"{LOO} --out f/x",
        "a part of that path is a file",
    ),
    (
        "a place that cannot be made",
        posterior(TABLE),
        f"{LOO} --out /proc/x",
        "its folder cannot be made there",
    ),
    ("a place that is a file", posterior(TABLE) | {"f": ""}, f"{LOO} --out f", "is a file"),
    (
        "compare one posterior",
        posterior(TABLE),
        "assess compare p.csv",
        "two files at least, each named once",
    ),
    (
        "compare a posterior with itself",
        posterior(TABLE),
        "assess compare p.csv ./p.csv",
        "each named once",
    ),
    (
        "compare a posterior twice",
        posterior(TABLE) | {"q.csv": TABLE},
        "assess compare p.csv q.csv p.csv",
        "once",
    ),
    (
        "compare without a header",
        posterior(TABLE) | {"q.csv": DRAWS},
        "assess compare p.csv q.csv",
        "in q.csv",
    ),
    (
        "compare with a negative margin",
        posterior(TABLE),
        "assess compare p.csv p.csv --negligible -1",
        "--negligible",
    ),
]

SIMULATIONS = [
    (
        "coverage with a negative seed",
        {},
        "simulations coverage --seed -1 --out c",
        "-1 is not in the range",
    ),
    (
        "coverage with a seed beyond 64 bits",
        {},
        f"simulations coverage --seed {2**63} --out c",
        "is not in the range",
    ),
    ("coverage of no data sets", {}, "simulations coverage --datasets 0 --out c", "--datasets"),
    (
        "coverage of an unknown world",
        {},
        "simulations coverage --worlds flat --out c",
        "there is no world 'flat'",
    ),
    (
        "coverage of a known and an unknown world",
        {},
        "simulations coverage --worlds plain,flat --out c",
        "no world 'flat'",
    ),
    (
        "coverage of commas",
        {},
        "simulations coverage --worlds , --out c",
        "--worlds has no name in ','",
    ),
    (
        "the robot arm of commas",
        {},
        "simulations robot-arm --sets ,, --out c",
        "--sets has no name in ',,'",
    ),
    (
        "the robot arm's known and unknown set",
        {},
        "simulations robot-arm --sets mackay-1,q --out c",
        "no robot arm 'q'",
    ),
    (
        "folds of commas",
        {},
        "assess cv concrete/cv/random-10 --methods ,",
        "--methods has no name in ','",
    ),
    ("coverage into nothing", {}, "simulations coverage --out ''", "an empty path"),
    (
        "coverage below a file",
        {"f": ""},
        "simulations coverage --out f/c",
        "a part of that path is a file",
    ),
    (
        "coverage where no folder can be made",
        {},
        "simulations coverage --out /proc/c",
        "its folder cannot be made there",
    ),
    (
        "method or model with a negative seed",
        {},
        "simulations method-or-model --seed -1 --out c",
        "-1 is not in the range",
    ),
    (
        "method or model below a file",
        {"f": ""},
        "simulations method-or-model --out f/c",
        "a part of that path is a file",
    ),
    (
        "the robot arm's unknown set",
        {},
        "simulations robot-arm --sets mackay-9 --out c",
        "mackay-9",
    ),
    (
        "the robot arm no times",
        {},
        "simulations robot-arm --times 0 --out c",
        "0 is not in the range x>=1",
    ),
    (
        "the robot arm below a file",
        {"f": ""},
        "simulations robot-arm --out f/c",
        "a part of that path is a file",
    ),
    (
        "concrete below a file",
        {"f": ""},
        "simulations concrete --out f/c",
        "a part of that path is a file",
    ),
    (
        "the forest below a file",
        {"f": ""},
        "simulations forest --out f/c",
        "a part of that path is a file",
    ),
    ("folds of an unknown task", {}, "assess cv nowhere", "unknown task 'nowhere'"),
    (
        "folds of a task without folds",
        {},
        "assess cv kin-8nm-sim/dist/std.64",
        "kin-8nm-sim/dist/std.64",
    ),
    ("folds by an unknown question", {}, "assess cv concrete/cv/random-10 --ask q", "'q'"),
]

ROWS = "case,phase,target\na,training,1\nb,training,2\nc,test,3\n"
TASKS = "challenge tasks --targets t.csv"


def targets(text: str | bytes) -> dict[str, object]:
    return {"t.csv": text}


TARGETS = [
    (
        "a field of 200,000 letters",
        targets(ROWS + f"d,test,{'1' * 200_000}\n"),
        TASKS,
        ("t.csv", "line 4 is no CSV"),
    ),
    ("a header of 200,000 letters", targets("c" * 200_000), TASKS, "line 0 is no CSV"),
    ("an open quote", targets(ROWS + 'd,test,"1\n'), TASKS, "line 4 is no CSV"),
    ("a letter behind a quote", targets(ROWS + 'd,test,"1"2\n'), TASKS, "line 4 is no CSV"),
    ("empty", targets(""), TASKS, "header: found nothing; must be case,phase,target"),
    ("another header", targets("case,target\na,1\n"), TASKS, "header: found 'case,target'"),
    ("no UTF-8", targets(b"\xff\xfe"), TASKS, "the targets in t.csv cannot be read"),
    ("no file", {}, TASKS, "the targets in t.csv cannot be read"),
    ("a folder", {"t.csv": None}, TASKS, "is a directory"),
    (
        "two values",
        targets(ROWS + "d,test\n"),
        TASKS,
        "line 4: found 2 values; must be case, phase and target",
    ),
    (
        "an unknown phase",
        targets(ROWS + "d,tests,4\n"),
        TASKS,
        "line 4, phase: found 'tests'; must be one of",
    ),
    (
        "a case twice",
        targets(ROWS + "a,test,4\n"),
        TASKS,
        "line 4, case: found 'a'; must be the id of one case",
    ),
    ("a case without an id", targets(ROWS + ",test,4\n"), TASKS, "line 4, case: found ''"),
    (
        "a case with a blank",
        targets(ROWS + "d e,test,4\n"),
        TASKS,
        "an id without blanks and commas",
    ),
    (
        "a case with a zero byte",
        targets(ROWS + "d\0,test,4\n"),
        TASKS,
        "line 4, case: found 'd\\x00'",
    ),
    (
        "a word for a target",
        targets(ROWS + "d,test,four\n"),
        TASKS,
        "line 4, target: found 'four'; must be a finite",
    ),
    (
        "a target with an underscore",
        targets(ROWS + "d,test,1_0\n"),
        TASKS,
        "line 4, target: found '1_0'",
    ),
    ("a target in digits of another script", targets(ROWS + "d,test,١\n"), TASKS, "line 4, target"),
    (
        "a target that is no number",
        targets(ROWS + "d,test,nan\n"),
        TASKS,
        "line 4, target: found 'nan'",
    ),
    ("an infinite target", targets(ROWS + "d,test,inf\n"), TASKS, "line 4, target: found 'inf'"),
    (
        "a target too large",
        targets(ROWS + "d,test,1e999\n"),
        TASKS,
        "line 4, target: found '1e999'",
    ),
    (
        "an unknown kind",
        targets("# kind = reel\n" + ROWS),
        TASKS,
        "kind: found 'reel'; must be real or class",
    ),
    (
        "numbers for classes",
        targets("# kind = class\n" + ROWS),
        TASKS,
        "line 2, target: found '2'; must be -1 or +1",
    ),
    (
        "an unknown key",
        targets("# colour = 3\n" + ROWS),
        TASKS,
        "must be one of task, kind, resolution",
    ),
    (
        "a resolution of nothing",
        targets("# resolution = 0\n" + ROWS),
        TASKS,
        "resolution: found '0'; must be a finite",
    ),
    (
        "no training cases",
        targets("case,phase,target\na,test,1\n"),
        TASKS,
        "must have training cases",
    ),
    (
        "no test cases",
        targets("case,phase,target\na,training,1\n"),
        TASKS,
        "validation or test cases",
    ),
]

CATALYSIS = "catalysis-sim/catalysis"
EXPORT, BOARD = f"challenge export {CATALYSIS} --out", "challenge board s --targets t.csv"
CHALLENGES = [
    (
        "export an unknown challenge",
        {},
        "challenge export nowhere --out e",
        "unknown task 'nowhere'",
    ),
    ("export into nothing", {}, f"{EXPORT} ''", "an empty path"),
    ("export into the root", {}, f"{EXPORT} /", "nothing lies beside /"),
    (
        "export into another's folder",
        {"README.md": "Mine.\n"},
        f"{EXPORT} .",
        "README.md is there and is no desc",
    ),
    ("export below a file", {"f": ""}, f"{EXPORT} f/e", "a part of that path is a file"),
    (
        "export where no folder can be made",
        {},
        f"{EXPORT} /proc/e",
        "its folder cannot be made there",
    ),
    (
        "give the entrants the targets",
        {},
        f"{EXPORT} e --key e/key.csv",
        "who would see the hidden targets",
    ),
    (
        "give the entrants the targets by a detour",
        {},
        f"{EXPORT} e --key e/../e/d/key.csv",
        "would see the hidden",
    ),
    (
        "give the entrants here the targets",
        {},
        f"{EXPORT} . --key key.csv",
        "who would see the hidden targets",
    ),
    (
        "enter an unknown method",
        {},
        f"challenge enter lin-9 -t {CATALYSIS}/test --out e",
        "unknown method 'lin-9'",
    ),
    (
        "enter an unknown task",
        {},
        "challenge enter base-1 -t nowhere --out e",
        "unknown task 'nowhere'",
    ),
    (
        "enter with a negative seed",
        {},
        f"challenge enter base-1 -t {CATALYSIS}/test --out e --seed -1",
        "not in the",
    ),
    (
        "enter below a file",
        {"f": ""},
        f"challenge enter base-1 -t {CATALYSIS}/test --out f/e",
        "is a file",
    ),
    ("check what is not there", {}, "challenge check e", "there is no submission e"),
    (
        "score into a spreadsheet",
        {},
        "challenge score e --out x.xls",
        "--out writes .csv or .parquet; found x.xls",
    ),
    (
        "score below a file",
        {"f": ""},
        "challenge score e --out f/x.csv",
        "a part of that path is a file",
    ),
    ("rank what is not there", targets(ROWS), BOARD, "there is no submission s"),
    (
        "rank below a file",
        targets(ROWS) | {"f": ""},
        f"{BOARD} --out f/x.html",
        "a part of that path is a file",
    ),
    (
        "an example below a file",
        {"f": ""},
        "challenge example f/e",
        "a part of that path is a file",
    ),
]

DEEP = "a = " + "[" * 20_000
OTHERS = [
    (
        "a report of lists within lists",
        {"r.toml": DEEP},
        "report check r.toml",
        "more than 50 deep",
    ),
    (
        "a report with a key of 100,000 parts",
        {"r.toml": ".".join("a" * 100_000) + " = 1"},
        "report check r.toml",
        "more than 50 parts",
    ),
    (
        "a report that is no TOML",
        {"r.toml": "a"},
        "report check r.toml",
        "r.toml cannot be read as TOML",
    ),
    ("a report of bytes", {"r.toml": b"\xff"}, "report check r.toml", "cannot be read as UTF-8"),
    ("an empty report", {"r.toml": ""}, "report check r.toml", "r.toml is faulty", 1),
    ("no report", {}, "report check r.toml", "r.toml"),
    ("a form over a file", {"r.toml": ""}, "report new r.toml", "r.toml exists already"),
    ("a form below a file", {"f": ""}, "report new f/r.toml", "a part of that path is a file"),
    ("a form of an unknown problem", {}, "report new r.toml --problem cancer9", "cancer9"),
    ("DELVE's files of an unknown prototask", {}, "delve export nowhere d", "nowhere"),
    ("DELVE's files of a size there is not", {}, "delve export kin-8nm-sim/dist d --size 3", "3"),
    (
        "DELVE's files below a file",
        {"f": ""},
        "delve export kin-8nm-sim/dist f/d --size 64 --instances 1",
        "is a file",
    ),
    (
        "guesses of an unknown task",
        {"d": None},
        "delve import d --task nowhere --as me",
        "unknown task 'nowhere'",
    ),
    (
        "guesses of an archived method",
        {"d": None},
        "delve import d --task kin-8nm-sim/dist/std.64 --as lin-1",
        "lin-1 is a method of this book",
    ),
    (
        "guesses from an empty folder",
        {"d": None},
        "delve import d --task kin-8nm-sim/dist/std.64 --as me",
        "cguess",
    ),
    (
        "guesses that are words",
        {"d/cguess.S.0": "a\n" * 512},
        "delve import d --task kin-8nm-sim/dist/std.64 --as me",
        "cguess.S.0",
    ),
    (
        "guesses of too few cases",
        {"d/cguess.S.0": "1\n" * 5},
        "delve import d --task kin-8nm-sim/dist/std.64 --as me",
        "cguess.S.0",
    ),
    ("an unknown data set", {}, "datasets show nowhere", "unknown dataset 'nowhere'"),
    ("an unknown command", {}, "runn", "No such command 'runn'"),
    ("an unknown option", {}, "run --taks x", "No such option"),
]

BAD = [*POSTERIORS, *SIMULATIONS, *TARGETS, *CHALLENGES, *OTHERS]


def test_bad_input_is_refused(bad, refused):
    refused(bad)


@pytest.mark.parametrize("heading", ["log_lik[1],log_lik[2]", "0,1", "case 1,case 2"])
def test_a_table_with_names_keeps_its_first_draw(heading, tmp_path, monkeypatch):
    from benchbook.assess.densities import read_log_likelihood

    (tmp_path / "p.csv").write_text(f"{heading}\n-9,-8\n{DRAWS}")
    result = read_log_likelihood(tmp_path / "p.csv")
    assert result.values.shape == (1, 41, 2)
    assert result.values[0, 0].tolist() == [-9, -8]
    expected = ("1", "2") if heading.startswith("log") else tuple(heading.split(","))
    assert result.cases == expected


def test_the_current_folder_is_taken_for_the_entrants_and_the_targets_go_beside_it(
    tmp_path, monkeypatch
):
    (tmp_path / "given").mkdir()
    monkeypatch.chdir(tmp_path / "given")
    for _ in range(2):
        result = CliRunner().invoke(app, [*EXPORT.split(), "."])
        assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "../given-targets.csv"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given", "given-targets.csv"]
    assert not list((tmp_path / "given").glob("*targets*"))

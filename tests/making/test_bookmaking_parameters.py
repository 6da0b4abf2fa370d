"""Pages with other parameters: checks of the page that fail are told and skipped, and those of a reader are not."""

import re

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

from benchbook_book.making.exercises import checkout

BOOK = checkout() / "book"
PAGE = """# Page

```{code-cell} ipython3
---
tags: [hide-input]
---
from benchbook_book.pages import show
show.setup()
size = 3
```

```{code-cell} ipython3
:tags: [remove-cell]

for k in range(2):
    assert size == 3, "of the page"
print("went on")
```
"""


def run(cells, folder, timeout=60):
    """Execute cells in a folder; what they print, and the first error."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        made, timeout=timeout, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    outputs = [output for cell in made.cells for output in cell.outputs]
    return (
        "".join(output.text for output in outputs if output.output_type == "stream"),
        [output.evalue for output in outputs if output.output_type == "error"],
    )


def cells_of(text):
    return [
        cell.source for cell in jupytext.reads(text, "md:myst").cells if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("copy", [False, True])
def test_a_check_of_the_page_is_skipped_only_when_something_was_changed(tmp_path, copy):
    first, second = cells_of(PAGE)
    if copy:  # as a class gets it
        made = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(cell, id=f"cell-{k}")
                for k, cell in enumerate((first, second))
            ]
        )
        nbformat.write(made, tmp_path / "page.ipynb")
    else:
        (tmp_path / "page.md").write_text(PAGE)
    assert run([first, second], tmp_path) == ("went on\n", [])
    text, errors = run(
        [first.replace("size = 3", "size = 4"), second, "assert size == 9"], tmp_path
    )
    assert text.count("Skipped, for it holds with the page's own parameters: size == 3") == 2
    assert text.endswith("went on\n")
    assert len(errors) == 1, "an assertion of the reader fails"
    text, errors = run(
        [first, second.replace("range(2)", "range(1)"), "size = 5", second], tmp_path
    )
    assert text.count("Skipped") == 2
    assert errors == []
    (tmp_path / "page.md").write_text(PAGE.replace("size = 3", "size = 4"))
    if not copy:
        text, errors = run([first.replace("= 3", "= 4"), second], tmp_path)
        assert (text, errors) == ("", ["of the page"]), "what the page itself has wrong stops it"


CHANGES = {  # of each chapter two: another dataset, size or seed
    "delve/why-assessments-fail": (
        ("seed, N, R = 1, 200, 100", "seed, N, R = 2, 120, 100"),
        ("seed, N, R = 1, 200, 100", "seed, N, R = 5, 300, 40"),
    ),
    "delve/expected-loss": (
        ("kin-8nm-sim", "kin-8fm-sim"),
        ("kin-8nm-sim/dist", "pumadyn-8nh-sim/accel"),
    ),
    "synthesis/cross-validation": (
        ("default_rng(1)", "default_rng(7)"),
        (
            "y = load_diabetes(return_X_y=True)",
            "y = (all[:300] for all in load_diabetes(return_X_y=True))",
        ),
    ),
    "synthesis/method-or-model": (
        ("generator(1, ", "generator(2, "),
        ("kin-8nm-sim/dist", "bank-8fm-sim/rej"),
    ),
    "uncertainty/losses-classes": (("seed = 1", "seed = 2"), ("4_000", "500")),
    "uncertainty/losses-numbers": (("seed = 1", "seed = 2"), ("500", "60")),
    "uncertainty/calibration": (
        ("seed = 1", "seed = 2"),
        ("concrete/challenge/test", "bank-8nh-sim/rej/std.256"),
    ),
    "synthesis/next-monday": (
        ("default_rng(1)", "default_rng(2)"),
        ("kin-8nm-sim/dist/std.128", "pumadyn-8nm-sim/accel/std.64"),
    ),
}


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize(
    ("page", "change"), [(page, change) for page, both in CHANGES.items() for change in both]
)
def test_a_core_chapter_runs_to_its_end_with_something_else(page, change):
    path = BOOK / f"{page}.md"
    cells = cells_of(path.read_text(encoding="utf-8"))
    changed = [cell.replace(*change) for cell in cells]
    assert changed != cells
    _, errors = run(changed, path.parent, timeout=600)
    assert errors == []


def test_there_is_a_change_of_every_core_chapter():
    toc = (checkout() / "_toc.yml").read_text(encoding="utf-8")
    core = toc.partition('caption: "Core')[2].partition("- caption:")[0]
    assert set(re.findall(r"file: book/(\S+)", core)) == set(CHANGES)

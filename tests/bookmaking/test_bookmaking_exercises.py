"""Student copies: exercises stay, solutions go, and nothing of a solution is left."""

import nbformat
import pytest

from benchbook.bookmaking.exercises import chapters, listed, stripped, write
from benchbook.errors import BenchbookError

SOLVED = """# A chapter

```{exercise} Easy: one
:label: exr-one
Ask.
```

````{solution-start} exr-one
:class: dropdown
````

Secret.

```{code-cell} ipython3
secret = 1
```

````{solution-end}
````

```{solution} exr-two
:class: dropdown
Secret too.
```

## Take-aways
"""


def test_solutions_become_empty_cells_and_the_rest_stays():
    found = stripped(SOLVED)
    assert "ecret" not in found
    assert found.count("# Your answer.") == 2
    assert found.startswith("# A chapter\n\n```{exercise} Easy: one")
    assert found.endswith("## Take-aways\n")


def test_no_chapter_keeps_a_solution():
    texts = {path: path.read_text(encoding="utf-8") for path in chapters()}
    assert len(texts) > 30
    assert not [path for path, text in texts.items() if "{solution" in stripped(text)]
    assert all(stripped(text).count("{exercise}") == text.count("{exercise}") for text in texts.values())


def test_a_copy_is_a_notebook_beside_what_it_opens(tmp_path):
    [path] = write(tmp_path, ["synthesis/four-answers"])
    notebook = nbformat.read(path, as_version=4)
    assert sum(cell.source == "# Your answer." for cell in notebook.cells) == 3
    assert (tmp_path / "synthesis" / "trees.py").is_file()
    with pytest.raises(BenchbookError, match="synthesis/none"):
        write(tmp_path, ["synthesis/none"])


def test_the_list_says_how_hard():
    lines = [line for line in listed() if line["chapter"] in ("guide/your-own-method", "synthesis/four-answers")]
    assert [line["level"] for line in lines] == ["easy", "medium", "hard"] * 2
    assert lines[3]["title"] == "the fifth answer"

"""What the book's own directives and events make of pages, held word for word in ``directives.txt``.

Modules, cards, runs and chapters are little ones of this file, but for the cards of three data sets.
"""

import copy
import importlib
import io
import json
import os
import re
import sys
import types
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import polars as pl
import pytest
from docutils import nodes
from docutils.parsers.rst import DirectiveError
from docutils.utils import new_document
from printed import held

import benchbook
from benchbook import datasets
from benchbook.errors import BenchbookError
from benchbook_book.making import inputs

EXTENSIONS = Path(__file__).resolve().parents[2] / "book" / "_ext"
FILE = Path(__file__).with_name("directives.txt")
NAMES = sorted(path.stem for path in EXTENSIONS.glob("*.py") if "def setup(" in path.read_text())

ROOM = '''"""A room of the library, with ``code``, a `name`, :class:`~benchbook.errors.Undefined` and *stress*.

A formula $x^2$ stands apart, a star * and a price of $ do not, `b and b` neither, nor `c:

    y = a + b

Lead in:
* first point
* second point, which goes on
  in another line

- dashed :math:`x_j`

.. math:: z = 2 y

Times *a*b of:
    two
    lines

Example:
    one()
      two()

Note:
    Not a list.

Source: a paper.
"""
import dataclasses, math, signal, typing
__all__ = ["Apple", "banana", "CHERRY", "date", "math", "elder", "Fig", "grown"]
Fig = getattr
CHERRY = tuple(range(40))
date = 3.5

def banana(a: "int", *args: "float", b: "str | None" = "x", c=signal.SIGINT,
           which: "Literal['one', 'two']" = "one") -> "list[float]":
    """Peel it.

    History of bananas.

        a picture

    Args:
        a: shape [J], for example
            one number.
        *args, b: two at once.
        c (int): one.

            Two.

    Returns:
        A frame.

    Raises:
        It: never.

    More.
    """

def elder(one_parameter: "int", another_parameter: "str", *, a_third_one: "Literal['x', 'y']" = 'x',
          the_last: typing.ForwardRef("np.ndarray") = dataclasses.MISSING) -> None:
    """It is:

    * this
    * that

    History.
    """

def grown() -> "dict[str, tuple[list[float], list[float], list[float], list[float], list[float], set]]":
    """On trees."""

@dataclasses.dataclass
class Apple:
    """A fruit.

    Attributes:
        size: in cm.
    """
    size: float = 2.0
    kinds: list = dataclasses.field(default_factory=list)

    @property
    def weight(self) -> float:
        """In g.

        Not shown.
        """

    def cut(self, pieces: int = 2) -> "list[Apple]":
        """Into pieces."""

    @classmethod
    def grown(cls, tree: "str" = 'oak') -> "Apple":
        """From a tree."""

    @staticmethod
    def of(seeds) -> "Apple":
        """From seeds."""

    def unsaid(self): pass

    def _hidden(self):
        """No."""
'''
RUN = """[[run]]
slug = "{0}"
template = "{1}"
title = "{0}: a title"
shows = "What {0} shows."
profile = "full"
needs = "boston"
parameters = {{}}
"""
CHAPTER = """# Title

Words before.

## Plan a study

{}

```{{code-cell}}
1
```

**Predict before you go on:** which is larger?

## To do, twice

Few words.
"""


def directive(kind, argument="", content=(), **env):
    """The directive of a page ``book/part/page``."""
    page = new_document("page")
    page.settings.env = SimpleNamespace(
        docname="book/part/page",
        dependencies={"book/part/page": set()},
        note_dependency=lambda path: page.settings.env.dependencies["book/part/page"].add(path),
        **env,
    )
    state = SimpleNamespace(document=page, inliner=None)
    machine = MagicMock(reporter=page.reporter)
    return kind(kind.__name__, [argument], {}, list(content), 1, 0, "", state, machine)


def lines(node, indent=""):
    """A tree of nodes, a line for each that has text."""
    if all(isinstance(child, nodes.TextElement | nodes.Text | nodes.Inline) for child in node):
        yield f"{indent}{node}".replace("\n", f"\n{indent}")
        return
    yield indent + node.starttag()
    for child in node:
        yield from lines(child, f"{indent}  ")


def drawn(made):
    """The nodes of a directive and which files its page depends on, or what it says is wrong."""
    try:
        text = "".join(f"{line}\n" for node in made.run() for line in lines(node))
    except DirectiveError as error:
        return f"{error.msg}\n"
    needed = made.env.dependencies[made.env.docname]
    return text + "".join(f"depends on {path}\n" for path in sorted(needed))


@pytest.fixture
def extension(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(EXTENSIONS)
    monkeypatch.setattr(inputs, "shown_by_directives", lambda root: {f"what {root.name} shows"})
    (tmp_path / "root").mkdir()
    return importlib.import_module


def test_a_room_of_the_library(extension, monkeypatch, tmp_path):
    room = types.ModuleType("benchbook.room")
    exec(compile(ROOM, "room.py", "exec"), room.__dict__)
    monkeypatch.setitem(sys.modules, "benchbook.room", room)
    api = extension("api")
    held(FILE, "api", drawn(directive(api.Api, "benchbook.room", srcdir=tmp_path / "root")))


def test_cards_and_their_index(extension, monkeypatch, tmp_path):
    listings = extension("listings")
    first, second = (datasets.card(f"proben1-cancer{k}") for k in (1, 2))
    arm, boston = datasets.card("kin-8nm-sim"), datasets.card("boston")
    large = (replace(boston.files[0], bytes=3_000_000),)
    far = replace(boston, name="far", source="https://a.org/x, (or http://b.org).", files=large)
    every = (boston, first, replace(second, row_order="Mixed."), arm, far)
    known = {card.name: replace(card, attributes=card.attributes[-2:]) for card in every}
    monkeypatch.setattr(datasets, "published", lambda: tuple(known))
    monkeypatch.setattr(datasets, "card", known.get)
    monkeypatch.setattr(datasets, "at_hand", lambda name: name != "proben1-cancer2")
    monkeypatch.setattr(listings, "PAGES", {"few": "boston far", "two": "proben1-*", "rest": "*"})
    for kind in (listings.DatasetCards, listings.DatasetIndex):
        for page in listings.PAGES:
            made = directive(kind, page, srcdir=tmp_path / "root")
            held(FILE, f"{kind.__name__} {page}", drawn(made))
        made = drawn(directive(kind, "none", srcdir=tmp_path / "root"))
        assert made == "there is no page 'none' of datasets; there are few, two, rest\n"
    assert listings._title(replace(boston, title="A, permutation 12")) == "A"


def test_a_card_shows_some_attributes_and_carries_all(extension):
    fold = str(extension("listings")._attributes(datasets.card("boston"), {}))
    assert "The 14 attributes, the first 8 of them" in fold
    assert fold.count("<row>") == 1 + 8
    data = b64decode(re.search('base64,([^"]+)', fold)[1]).decode()
    assert data.count("\n") == 1 + 14


def test_run_pages_and_maps(extension, tmp_path):
    runs = tmp_path / "root" / "book" / "runs"
    (runs / "templates").mkdir(parents=True)
    for template in ("task", "problem", "none"):
        (runs / "templates" / f"{template}.py").write_text("")
    pages = (("a", "task"), ("b", "task"), ("c", "problem"), ("d", "none"))
    (runs / "runs.toml").write_text("".join(RUN.format(*page) for page in pages))
    output = {"metadata": {"scrapbook": {"name": "result"}}, "data": {}}
    output["data"] = {"application/x.text/plain": ["'By `lin-1` ", "and\\'s.'"]}
    cells = [{}, {"outputs": [{"data": {}}]}, {"outputs": [output]}]
    for name, part in (("a", cells), ("c", cells[:2])):
        (runs / f"run-{name}.ipynb").write_text(json.dumps({"cells": part}))
    root, kind = tmp_path / "root", extension("listings").RunPages
    for templates in ("task", "problem task", "none"):
        held(FILE, f"run-pages {templates}", drawn(directive(kind, templates, srcdir=root)))
    held(FILE, "run-pages other", drawn(directive(kind, "other", srcdir=root)))


@pytest.mark.parametrize(
    "content", [["book/part/a | First.", "", "  b|Second | too."], ["b"], ["c | C"], ["b |"]]
)
def test_a_map(extension, content):
    made = directive(extension("maps").ChapterMap, content=content, found_docs={"book/part/a", "b"})
    made.parse_inline = lambda text: ([nodes.Text(text)], [])
    held(FILE, f"chapter-map {content}", drawn(made))


@pytest.mark.parametrize("kind", ["Minutes", "Predictions"])
@pytest.mark.parametrize("names", ["part/a,,part/b", "part/c"])
def test_a_lesson(extension, tmp_path, kind, names):
    (tmp_path / "book" / "part").mkdir(parents=True)
    for name, words in (("a", 300), ("b", 20)):
        (tmp_path / "book" / "part" / f"{name}.md").write_text(CHAPTER.format("word " * words))
    made = directive(getattr(extension("lessons"), kind), content=names.split(","), srcdir=tmp_path)
    made.parse_text_to_nodes = lambda text: [nodes.literal_block(text, text)]
    held(FILE, f"{kind} {names}", drawn(made).replace(str(tmp_path), "HERE"))


@pytest.mark.parametrize("name", NAMES)
def test_what_an_extension_tells_sphinx(extension, name):
    heard = []

    class App:
        def __getattr__(self, what):
            return lambda *given, **named: heard.append(
                f"{what} {[getattr(one, '__name__', one) for one in given]} {named}"
            )

    module = extension(name)
    given = module.setup(App())
    held(FILE, f"setup {name}", "".join(f"{line}\n" for line in [*heard, given]))


def test_pages_without_a_number_lend_their_name_while_figures_are_numbered(extension):
    numbering = extension("numbering")
    figures = {"a": {"figure": {"f": (1, 1)}}, "b": {"figure": {"g": (3,)}, "table": {"h": (1,)}}}
    env = SimpleNamespace(
        get_doctree=str.upper,
        config=SimpleNamespace(root_doc="index"),
        toc_secnumbers={"a": {"": (1,), "#s": (1, 1)}},
        toc_fignumbers=copy.deepcopy(figures),
    )
    before = copy.deepcopy(env.toc_secnumbers)
    assert numbering._lend(None, env) == []
    assert [env.get_doctree(name) for name in ("index", "a", "b")] == ["INDEX", "A", "B"]
    assert env.toc_secnumbers == before | {"b": {"": ("b",)}}
    lent = {"figure": {"g": ("b", 3)}, "table": {"h": ("b", 1)}}
    assert env.toc_fignumbers == {"a": figures["a"], "b": lent}
    assert numbering._take_back(None, env) == []
    assert (env.toc_secnumbers, env.toc_fignumbers) == (before, figures)
    assert not hasattr(env, "get_doctree")


def cited(env):
    return env.domaindata["cite"]["citations"][0]


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (lambda env: env.titles.update(a=nodes.title(text="B")), True),
        (lambda env: env.toc_secnumbers.update(b=(1,)), True),
        (lambda env: env.toc_fignumbers.update(b={"f": (2,)}), True),
        (lambda env: env.domaindata["std"]["labels"].update(x=("a", "y")), True),
        (lambda env: env.domaindata["std"]["seen"].discard("b"), True),
        (lambda env: setattr(cited(env), "key", "k"), True),
        (lambda env: setattr(cited(env), "citation_id", "k"), True),
        (lambda env: setattr(cited(env).formatted_entry, "label", "k"), True),
        (lambda env: env.sphinx_exercise_registry.update(e=1), True),
        (lambda env: env.domaindata["cite"].update(other=1), False),
        (lambda env: env.titles.update(a=env.titles.pop("a")), False),
        (lambda env: None, False),
    ],
)
def test_all_pages_are_written_when_what_they_show_of_each_other_has_changed(
    extension, change, written
):
    citation = SimpleNamespace(
        citation_id="c", key="neal", formatted_entry=SimpleNamespace(label="Neal")
    )
    env = SimpleNamespace(
        titles={"a": nodes.title(text="A"), "b": nodes.title(text="B")},
        toc_secnumbers={"a": (1,)},
        toc_fignumbers={"a": {"f": (1,)}},
        domaindata={
            "std": {"labels": {"x": ("a", "x")}, "seen": {"b", "a"}},
            "cite": {"citations": [citation]},
        },
        sphinx_exercise_registry={"e": nodes.title(text="E")},
        found_docs={"b", "a"},
    )
    incremental = extension("incremental")
    assert incremental._to_be_written(None, env) == ["a", "b"]
    change(env)
    assert incremental._to_be_written(None, env) == ["a", "b"] * written


@pytest.mark.parametrize(
    ("body", "scripts"),
    [('<div class="vega-chart">', ["bundle.js", "charts.js"]), ("<p>", []), (None, [])],
)
def test_only_pages_with_charts_load_them_and_none_a_kernel(extension, body, scripts):
    app = MagicMock(vega_bundle="bundle.js")
    scripts_given = [
        SimpleNamespace(filename=name, attributes={"body": text})
        for name, text in (("Thebe.js", ""), (None, "let THEBE"), ("other.js", ""), (None, "x"))
    ]
    context = {"body": body, "script_files": scripts_given[:]}
    same = context["script_files"]
    extension("offline")._page_assets(app, "p", "page.html", context, None)
    assert [call.args[0] for call in app.add_js_file.call_args_list] == scripts
    assert all(call.kwargs == {"loading_method": "defer"} for call in app.add_js_file.mock_calls)
    assert context["script_files"] is same
    assert same == scripts_given[2:]


def test_chapters_show_the_package_of_the_checkout_and_no_runs_of_the_reader(
    extension, monkeypatch, tmp_path
):
    offline, root = extension("offline"), tmp_path / "root"
    source, runs = str(root / "src"), inputs.chapter_runs(root)
    runs.mkdir(parents=True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["other", source, ""]))
    monkeypatch.setenv("BENCHBOOK_RUNS", "mine")
    monkeypatch.setattr("sys.path", ["first"])
    monkeypatch.setattr(offline, "_vendor", lambda folder: f"{folder.relative_to(root)}/vega.js")
    app = SimpleNamespace(srcdir=root, doctreedir=root / "_build" / "trees")
    config = SimpleNamespace(html_static_path=["static"], html_theme_options={})
    offline._prepare(app, config)
    assert os.environ["PYTHONPATH"] == os.pathsep.join([source, "other"])
    assert os.environ["BENCHBOOK_RUNS"] == str(runs)
    assert sys.path == [source, "first"]
    offline._prepare(app, SimpleNamespace(html_static_path=[], html_theme_options={}))
    assert (os.environ["PYTHONPATH"].count(source), sys.path) == (1, [source, "first"])
    assert not runs.exists()
    assert app.vega_bundle == "_build/vendor_static/vega.js"
    assert config.html_static_path == ["static", str(root / "_build" / "vendor_static")]
    assert config.nb_execution_cache_path == str(inputs.execution_cache(root))
    assert config.version == config.release == benchbook.__version__
    footer = config.html_theme_options["extra_footer"]
    held(FILE, "footer", f"{config.mathjax_path}\n{footer}\n".replace(config.version, "VERSION"))


@pytest.mark.parametrize("error", [None, ValueError()])
def test_icons_are_put_beside_and_tidied_after_a_build_that_went_well(
    extension, monkeypatch, tmp_path, error
):
    icons, folders = extension("icons"), []
    monkeypatch.setattr(icons, "vendor", folders.append)
    monkeypatch.setattr(icons, "remove_unused", folders.append)
    app = SimpleNamespace(doctreedir=tmp_path / "trees", outdir=tmp_path / "html")
    icons._prepare(app, None)
    icons._tidy(app, error)
    assert folders == [
        tmp_path / "vendor_static",
        *[tmp_path / "html" / "_static"] * (error is None),
    ]


def test_sources_are_held_by_page_over_processes(extension, monkeypatch, tmp_path):
    archived, calls = extension("archived"), []
    monkeypatch.setattr(archived, "sources", lambda *given: calls.append(given) or ["s"])
    env, other = (
        SimpleNamespace(bb_sources={"a": ["x"], "b": []}),
        SimpleNamespace(bb_sources={"b": ["y", "v"], "c": ["z"], "d": ["w"]}),
    )
    archived._merge(None, env, ["b", "c", "e"], other)
    assert env.bb_sources == {"a": ["x"], "b": ["y", "v"], "c": ["z"]}
    archived._purge(None, env, "a")
    archived._purge(None, env, "none")
    env.docname, env.doc2path = "n", "{}.md".format
    archived._hold(SimpleNamespace(env=env, srcdir=str(tmp_path)), None)
    assert env.bb_sources == {"b": ["y", "v"], "c": ["z"], "n": ["s"]}
    assert calls == [(tmp_path, Path("n.md"))]
    context = {"body": "<p>", "pathto": "{}?{}".format}
    for page in ("n", "none", "b"):
        archived._insert(SimpleNamespace(env=env), page, "", context, None)
    held(FILE, "archived", context["body"].replace("><", ">\n<") + "\n")


def test_each_search_term_is_an_entry_of_the_index(extension):
    terms, page = extension("search_terms"), new_document("page")
    words = nodes.paragraph("", "", nodes.emphasis(text="Coverage , PIT"))
    page += nodes.section("", nodes.title(text="T"), words, ids=["t"])
    app = SimpleNamespace(env=SimpleNamespace(docname="book/part/a"))
    for _ in range(2):
        terms._mark(app, page)  # the second time the index stands there
    held(FILE, "search terms", page.pformat())
    terms._mark(app, new_document("empty"))


@pytest.mark.parametrize(
    ("page", "line", "where"),
    [("book/a", 7, [("book/a", 7)]), ("book/a", None, ["book/a"]), ("book/reference/api/b", 7, [])],
)
def test_a_role_as_written_is_told_with_its_line(extension, monkeypatch, page, line, where):
    unrendered, logger = extension("unrendered"), MagicMock()
    monkeypatch.setattr(unrendered.logging, "getLogger", lambda name: logger)
    tree, inner = new_document("page"), nodes.paragraph("", "see {ref}`a`")
    tree += nodes.section("", inner)
    tree[0].line = line
    unrendered._complain(None, tree, page)
    assert [call.kwargs["location"] for call in logger.warning.mock_calls] == where
    text = "the page shows %s as it was written: write a role outside of backquotes and of text that a cell makes"
    assert [call.args for call in logger.warning.mock_calls] == [(text, "{ref}")] * len(where)
    kinds = [(call.kwargs["type"], call.kwargs["subtype"]) for call in logger.warning.mock_calls]
    assert kinds == [("benchbook", "role")] * len(where)


@pytest.mark.parametrize("length", [159, 160, 161])
def test_a_picture_is_described_in_160_letters_at_most(extension, length):
    words = f"{'ab ' * 60}"[: length - 1] + "c"
    chart = (
        f'<div class="vega-view" role="img" aria-label="{words}. More: x" y="">\n<svg>1</svg><svg>'
    )
    assert extension("maps").first_picture(f"<p>{chart}") == (
        "<svg>1</svg>",
        words + "." if length < 160 else f"{words[:160].rsplit(' ', 1)[0]} …",
    )


def test_a_list_is_made_once_and_turned_into_that_of_each_page(extension):
    side, made = extension("side_list"), []
    entry = '<ul class="nav bd-sidenav">\n<li class="toctree-l1"><a class="reference internal" href="{}">A</a>'
    app = SimpleNamespace(builder=SimpleNamespace(get_target_uri="{}.html".format))
    side._begin(app)
    shown = {}
    for page in ("a", "part/b", "a"):
        context = {
            "sidebars": ["x", side._TEMPLATE, "y"],
            "generate_toctree_html": lambda kind, **more: (
                made.append(kind) or entry.format("a.html")
            ),
        }
        side._not_looked_at(app, page, "", context, None)
        assert context["sidebars"] == ["x", "y"]
        side._for_page(app, page, "", context, None)
        assert context["sidebars"] == ["x", "y", side._TEMPLATE]
        make = context["generate_toctree_html"]
        shown[page] = make("sidebar", collapse=False, depth=1)
        assert make("sidebar", depth=1) == make("other", collapse=False) == entry.format("a.html")
    assert made.count("sidebar") == 1 + 3
    assert [re.findall('href="([^"]*)"', shown[page]) for page in ("a", "part/b")] == [
        ["#"],
        ["../a.html"],
    ]
    bare = {"sidebars": None, "generate_toctree_html": None}
    side._not_looked_at(app, "a", "", bare, None)
    side._for_page(app, "a", "", bare, None)
    assert bare == {"sidebars": None, "generate_toctree_html": None, "bb_listed": False}


def test_chapters_have_code_and_what_is_older_than_its_page_is_written_again(extension, tmp_path):
    program = extension("program")
    pages = {"a.md": "```{code-cell}\n1\n```", "b.md": "Words.", "c.ipynb": "```{code-cell}"}
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    paths = {name.partition(".")[0]: tmp_path / name for name in pages}
    env = SimpleNamespace(found_docs=set(paths), doc2path=paths.get)
    assert list(program.chapters(SimpleNamespace(env=env))) == [("a", paths["a"])]
    target = tmp_path / "out" / program.FOLDER / "part" / "a.ipynb"
    for age, again in ((0, True), (-60, True), (60, False)):
        if target.exists():
            target.write_text("old")
            os.utime(target, (target.stat().st_mtime + age,) * 2)
        program._write_beside(tmp_path / "out", "part/a", paths["a"])
        assert ("checkout() / 'part')" in target.read_text()) == again
        os.utime(paths["a"], (target.stat().st_mtime,) * 2)
    program._write_beside(tmp_path / "out", "part/a", paths["a"])
    assert target.read_text() == "old"


def test_a_page_is_a_notebook_with_a_first_cell_and_numbered_ones(extension, tmp_path):
    (tmp_path / "a.md").write_text("# Title\n\n```{code-cell}\n1\n```\n\nWords.\n")
    made = json.loads(extension("program").notebook(tmp_path / "a.md", "book/part"))
    cells = [
        f"{cell['id']} {cell['cell_type']}: {''.join(cell['source'])}\n" for cell in made["cells"]
    ]
    held(FILE, "notebook", "".join(cells))
    (tmp_path / "a.md").write_text("from _b import c\nimport _d\n")
    (tmp_path / "_b.py").write_text("")
    menu = extension("program")._entries("book/part/a", tmp_path / "a.md", "{}?{}".format)
    held(FILE, "menu", "".join(f"{entry}\n" for entry in menu))


@pytest.mark.parametrize(
    ("name", "source", "download"),
    [("a.md", True, True), ("a.ipynb", False, True), ("a.md", False, False), (None, True, None)],
)
def test_a_run_page_gives_its_notebook_away(extension, tmp_path, name, source, download):
    program = extension("program")
    (tmp_path / "a.md").write_text("Words.")
    app = SimpleNamespace(
        env=SimpleNamespace(doc2path=lambda page: str(tmp_path / (name or "a.md")))
    )
    context = {"ipynb_source": source, "sourcename": "a.ipynb", "pathto": "{}?{}".format}
    program._insert(app, "a", "", context, name and nodes.Text(""))
    link = '<a href="_sources/a.ipynb?1" download>Notebook (.ipynb)</a>'
    assert context.get("bb_menu") == (
        None if name is None else program._menu([link] if download else [])
    )


def test_a_title_is_put_first_in_notebooks_alone(extension):
    run_titles = extension("run_titles")
    book = {"metadata": {"benchbook": {"title": "T"}}, "cells": [{"id": "a"}]}
    for title, ending, cells in (
        ("T", "ipynb", 2),
        ("T", "md", 1),
        ("", "ipynb", 1),
        (None, "ipynb", 1),
    ):
        book["metadata"]["benchbook"]["title"] = title
        content = [json.dumps(book)]
        app = SimpleNamespace(env=SimpleNamespace(doc2path=f"{{}}.{ending}".format))
        run_titles._insert(app, "p", content)
        assert len(json.loads(content[0])["cells"]) == cells
    assert run_titles.titled('{"metadata": {}}') == '{"metadata": {}}'


def test_numbers_of_contents_are_made_on_the_merged_pages_and_marks_of_citations_are_round(
    extension,
):
    app = SimpleNamespace(extensions={"sphinx_multitoc_numbering": SimpleNamespace()})
    extension("incremental")._begin(app)
    assert app.extensions["sphinx_multitoc_numbering"].parallel_read_safe is True
    app.extensions = {}
    extension("incremental")._begin(app)
    style = vars(extension("citations").RoundAuthorYear())
    marks = [
        (name, mark.left, mark.right) for name, mark in style.items() if name.startswith("bracket")
    ]
    assert len(marks) == 5
    assert {mark[1:] for mark in marks} == {("(", ")")}


@pytest.fixture
def behind(extension, tmp_path):
    """A root with a table of simulations and one file of an archive."""
    table = pl.DataFrame({"a": range(501), "b": [1 / 3] * 501, "c": [[1]] * 501, "d": [b"x"] * 501})
    for name in ("simulated/s", "archive/a/b/x", "archive/a/b/y"):
        path = tmp_path / "data" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(path)
    return extension("archived")


def test_rows_behind_a_page_are_its_runs_with_the_means_of_their_losses(
    behind, monkeypatch, tmp_path
):
    cost = [{"training_error": 1.5, "other": 2}, {}]
    records = pl.DataFrame(
        {"method": ["m", "l"], "task": ["a/b/t"] * 2, "instance": [0, 0], "seed": [3, 4]}
    ).with_columns(cost=pl.Series([json.dumps(cost[0]), None]), status=pl.lit("ok"))
    blocks = [
        SimpleNamespace(key=("m", "a/b/t", 0), loss=loss, values=np.array(values))
        for loss, values in (("S", [1.0, 2.0]), ("A", [1.0, 0.123456789]))
    ]
    asked = []
    archive = SimpleNamespace(
        read=lambda choice: asked.append(choice.prototask) or (records, blocks)
    )
    monkeypatch.setattr(behind.studies, "Archive", lambda path: archive)
    for name in ("a/b", "data/mine/a/b"):
        held(FILE, f"rows of {name}", behind.text(tmp_path, name))
    assert asked == ["a/b"] * 2
    text = behind.text(tmp_path, "data/simulated/s.parquet")
    assert text.startswith(
        "The table data/simulated/s.parquet, at most its first 500 rows.\n\na,b\n0,0.33333\n"
    )
    assert text.endswith("\n499,0.33333\n")


@pytest.mark.parametrize(("newer", "due"), [("x", True), ("y", True), ("", False), ("none", True)])
def test_texts_are_due_when_a_file_is_newer(behind, monkeypatch, tmp_path, newer, due):
    """The texts are written by a process beside the build, whose failure counts when the build went well."""
    archive, target = (
        tmp_path / "data" / "archive" / "a" / "b",
        tmp_path / "_archived" / "a" / "b.txt",
    )
    target.parent.mkdir(parents=True)
    for path in (*archive.iterdir(), target):
        path.touch()
        os.utime(path, (100.0, 100.0))
    if newer == "none":
        target.unlink()
    elif newer:
        os.utime(archive / f"{newer}.parquet", (100.0, 100.5))
    started, given = [], io.StringIO()
    given.close = lambda: started.append(given.getvalue())
    monkeypatch.setattr(
        behind.subprocess,
        "Popen",
        lambda words, **_: (
            started.append(words[2:]) or SimpleNamespace(stdin=given, wait=lambda: 1)
        ),
    )
    app = SimpleNamespace(srcdir=tmp_path, outdir=tmp_path, builder=SimpleNamespace(format="html"))
    env = SimpleNamespace(bb_sources={"p": ["a/b"], "q": ["a/b"]})
    behind._begin(app, env)
    assert started == [[behind.__file__, tmp_path, tmp_path], '["a/b"]'] * due
    behind._wait(app, ValueError())
    if due:
        with pytest.raises(BenchbookError, match="could not be written; see above"):
            behind._wait(app, None)
        app.bb_texts.wait = lambda: 0
    behind._wait(app, None)
    app.builder.format = "latex"
    behind._begin(app, env)
    assert len(started) == 2 * due
    assert behind._files(tmp_path, "data/simulated/s.parquet") == [
        tmp_path / "data/simulated/s.parquet"
    ]

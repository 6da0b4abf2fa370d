"""What the book's own Sphinx directives make of docstrings and cards."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import polars as pl
import pytest

from benchbook import datasets, studies

EXTENSIONS = Path(__file__).resolve().parents[2] / "book" / "_ext"


@pytest.mark.parametrize(
    ("error", "form", "written"),
    [(None, "html", True), (None, "latex", False), (ValueError(), "html", False)],
)
def test_what_pages_link_to_is_written_when_html_was_built(
    program, monkeypatch, tmp_path, error, form, written
):
    page = tmp_path / "_sources" / "book" / "runs" / "run-a.ipynb"
    page.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("1", execution_count=3)
    page.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))
    chapters, beside = [("a/b", Path("a/b.md"))], []
    monkeypatch.setattr(program, "chapters", lambda app: chapters)
    monkeypatch.setattr(program, "_write_beside", lambda *given: beside.append(given))
    program._write(
        SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format=form)), error
    )
    assert beside == [(tmp_path, *chapters[0])] * written
    assert (nbformat.read(page, 4).cells[0].execution_count is None) == written


def test_the_notebook_of_a_chapter_finds_its_helpers_from_anywhere(program, tmp_path):
    chapter = EXTENSIONS.parent / "delve" / "study.md"
    made = nbformat.reads(program.notebook(chapter, "book/delve"), as_version=4)
    nbformat.validate(made)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    (imports,) = [
        line for cell in code for line in cell.splitlines() if "import" in line and "_study" in line
    ]
    assert [path.name for path in program.helpers(chapter)] == [
        "_methods.py",
        "_study.py",
        "_equal_work.py",
        "_neal_digits.py",
    ]
    told = f"import sys; sys.path.insert(0, '')\n{code[0]}\n{imports}"  # as a kernel has it
    subprocess.run([sys.executable, "-c", told], cwd=tmp_path, check=True)


def test_the_notebook_of_a_run_page_is_taken_away_without_its_results(program):
    ran = nbformat.v4.new_code_cell(
        "1 + 1", execution_count=3, outputs=[nbformat.v4.new_output("stream", text="2")]
    )
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), ran])
    told = nbformat.reads(program.without_outputs(nbformat.writes(page)), as_version=4)
    assert [cell.source for cell in told.cells] == ["# Title", "1 + 1"]
    assert told.cells[1].outputs == []
    assert told.cells[1].execution_count is None


def test_a_run_page_gets_its_title_in_the_book_and_other_notebooks_stay(run_titles):
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    assert run_titles.titled(nbformat.writes(page)) == nbformat.writes(page)
    page.metadata["benchbook"] = {"slug": "boston", "title": "boston: few cases"}
    titled = nbformat.reads(run_titles.titled(nbformat.writes(page)), as_version=4)
    nbformat.validate(titled)
    assert [cell.source for cell in titled.cells] == ["# boston: few cases", "1 + 1"]


def test_one_menu_leads_to_the_program_of_a_page_with_code(program, tmp_path):
    class App:
        outdir = tmp_path

        class env:
            doc2path = staticmethod(lambda name: str(EXTENSIONS.parents[1] / f"{name}.md"))

    shown = {}
    for name in ("book/delve/study", "book/reference/glossary"):
        context = {"body": "<h1>A title</h1>", "pathto": lambda target, resource: f"../../{target}"}
        program._insert(App, name, "page.html", context, object())
        assert context["body"] == "<h1>A title</h1>"
        shown[name] = context["bb_menu"]
    assert "href" not in shown["book/reference/glossary"]
    assert all("window.print()" in menu for menu in shown.values())
    links = re.findall(r'href="([^"]*)"', shown["book/delve/study"])
    assert sorted(links) == [
        f"../../_program/book/delve/{file}"
        for file in (
            "_equal_work.py.txt",
            "_methods.py.txt",
            "_neal_digits.py.txt",
            "_study.py.txt",
            "study.ipynb",
            "study.md.txt",
        )
    ]
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    assert written == sorted(way.removeprefix("../../") for way in links)


@pytest.mark.parametrize(
    ("below", "found"),
    [("*Coverage, PIT*", True), ("*Coverage* is a word.", False), ("PIT", False)],
)
def test_only_a_line_of_italics_next_to_the_title_has_search_terms(search_terms, below, found):
    from docutils.core import publish_doctree
    from docutils.utils import Reporter

    text = f"Calibration\n===========\n\n{below}\n\n*Later, again*\n"
    doctree = publish_doctree(
        text, settings_overrides={"doctitle_xform": False, "report_level": Reporter.SEVERE_LEVEL}
    )
    line = search_terms.line_of_terms(doctree)
    assert (line is not None) is found
    if found:
        assert line.astext() == "Coverage, PIT"


@pytest.mark.parametrize(
    ("folder", "above", "names"),
    [
        (
            "data/archive",
            "",
            ["kin-8nm-sim/dist", "gatineau-sim/gatineau", "proben1-card1/partition", "concrete/cv"],
        ),
        ("data/calibration", "data/calibration/", ["bank-8fh-sim/rej"]),
    ],
)
def test_numbers_drawn_by_lot_are_found_in_the_rows_behind_a_page(
    archived, repository, rng, folder, above, names
):
    archive = studies.Archive(repository / folder)
    for name in names:
        head, _, table = archived.text(repository, above + name).partition("\n\n")
        assert name in head
        assert f'"{folder}"' in head
        shown = pl.read_csv(table.encode(), infer_schema_length=None)
        by_case = archive.losses(prototask=name, role=None)
        codes = sorted(by_case["loss"].unique())
        for place in rng.choice(shown.height, 3, replace=False):
            line = shown.row(int(place), named=True)
            for code in codes:
                cases = by_case.filter(
                    method=line["method"], task=line["task"], instance=line["instance"], loss=code
                )
                if cases.height:
                    assert line["cases"] == cases.height
                    assert line[code] == pytest.approx(cases["value"].mean(), abs=6e-6, rel=1e-4)
        assert shown.height == archive.records(tasks=f"{name}/*").height


def test_texts_that_are_due_are_written_beside_the_build_which_waits_for_them(
    archived, tmp_path, repository
):
    def app(out):
        return SimpleNamespace(
            srcdir=repository, outdir=out, builder=SimpleNamespace(format="html")
        )

    env = SimpleNamespace(
        bb_sources={"a": ["boston/price", "data/simulated/coverage.parquet"], "b": ["boston/price"]}
    )
    first, again = app(tmp_path / "html"), app(tmp_path / "html")
    archived._begin(first, env)
    archived._wait(first, None)
    folder = tmp_path / "html" / archived.FOLDER
    assert (folder / "boston" / "price.txt").read_text() == archived.text(
        repository, "boston/price"
    )
    assert sorted(path.name for path in folder.rglob("*.*")) == ["coverage.txt", "price.txt"]
    archived._begin(again, env)
    assert not hasattr(again, "bb_texts"), "nothing is due"
    archived._wait(again, None)
    os.utime(folder / "boston" / "price.txt", (0, 0))
    assert archived._due(repository, tmp_path / "html", {"boston/price"}) == ["boston/price"]


def test_a_page_leads_to_what_it_asked_of_the_archives_and_to_nothing_else(
    archived, monkeypatch, repository
):
    asked = [
        ["data/archive", "kin-8nm-sim/dist", None, ["lin-1"]],
        ["data/archive", None, "boston/*", "lin-1"],
        ["data/calibration", None, ["bank-8fh-sim/rej/std.64"], None],
        ["data/archive", None, None, ["lin-1"]],
        ["data/archive", "kin-8nm-sim/dist", None, ["nobody-1"]],
    ]
    read = {
        "archive": {json.dumps(each): "" for each in asked},
        "file": {
            name: ""
            for name in (
                "data/archive/records.parquet",
                "data/simulated/coverage.parquet",
                "data/simulated/notes.md",
                "src/benchbook/errors.py",
            )
        },
    }
    monkeypatch.setattr(archived.execution, "dependencies_of", lambda root, chapter: read)
    names = archived.sources(repository, repository / "book/delve/study.md")
    assert names == [
        "boston/challenge",
        "boston/price",
        "data/calibration/bank-8fh-sim/rej",
        "data/simulated/coverage.parquet",
        "kin-8nm-sim/dist",
    ]
    shown = archived.block(names, lambda target, resource: f"../../{target}")
    assert 'href="../../_archived/kin-8nm-sim/dist.txt"' in shown
    assert 'href="../../_archived/data/calibration/bank-8fh-sim/rej.txt"' in shown
    assert "5 sources<" in shown
    assert "world,model,utility" in archived.text(repository, names[3])
    assert archived.block([], str) == ""


def test_a_run_page_leads_to_what_its_record_says(archived, monkeypatch, repository, tmp_path):
    asked = json.dumps(["data/archive", None, ["boston/price"], ["lin-1"]])
    monkeypatch.setattr(archived.inputs, "records", lambda root: tmp_path)
    archived.dependencies.Record("", "", {"archive": {asked: ""}}).write(
        tmp_path / "run-boston.json"
    )
    assert archived.sources(repository, repository / "book/runs/run-boston.ipynb") == [
        "boston/price"
    ]
    assert archived.sources(repository, repository / "book/runs/run-titanic.ipynb") == []


CHART = (
    '<div class="vega-view" role="img" aria-label="Loss &amp; error of 3 methods: a 0.1, b 0.2." x="y">'
    '<svg a="1"><g/></svg>'
)


def test_a_map_shows_the_first_picture_of_each_page_that_has_one(maps, tmp_path):
    empty = '<span class="bb-picture" data-page="{}"></span>'
    pages = {
        "book/part/a": f"<h1>A</h1>{CHART}",
        "book/part/b": "<h1>B</h1>",
        "book/part/index": empty.format("book/part/a") + empty.format("book/part/b"),
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.html").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.html").write_text(text)
    app = SimpleNamespace(
        outdir=tmp_path,
        builder=SimpleNamespace(format="html"),
        env=SimpleNamespace(found_docs=pages),
    )
    for _ in range(2):  # a page that is not written again is filled again
        maps._fill(app, None)
        shown = (tmp_path / "book/part/index.html").read_text()
        assert re.findall(r'<img src="([^"]*)" alt="([^"]*)"', shown) == [
            ("../../_pictures/book/part/a.svg", "Loss &amp; error of 3 methods")
        ]
        assert shown.count("bb-picture") == 2
    assert (tmp_path / "_pictures/book/part/a.svg").read_text() == '<svg a="1"><g/></svg>'


def test_of_a_tall_picture_a_map_shows_the_upper_part(maps, tmp_path):
    for name, size in (
        ("wide", 'width="640" height="300"'),
        ("tall", 'width="640" height="1355.5"'),
        ("square", 'width="640" height="640"'),
    ):
        (tmp_path / f"{name}.html").write_text(CHART.replace('a="1"', f'style="x" {size}'))
        shown = maps._picture(tmp_path, tmp_path / "index.html", name)
        assert ('class="bb-tall"' in shown) == (name == "tall")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One line.",
        "Args:",
        "Args:\n    x: a\n\n    still about x",
        "Returns:\n    nothing",
        "Args:\n    x: one that\n        goes on",
    ],
)
def test_no_docstring_is_too_odd(api, text):
    shown = " ".join(node.astext() for node in api._body(text))
    assert (
        shown.replace(":", "").split()
        == text.replace("Args", "Parameters").replace(":", "").split()
    )


def test_a_page_that_went_leads_to_a_place_that_is_there(moved):
    book = EXTENSIONS.parents[1]
    for old, new in moved.MOVED.items():
        page, _, place = new.partition("#")
        text = (book / f"{page}.md").read_text(encoding="utf-8")
        assert not (book / f"{old}.md").exists(), old
        made = place.startswith("family-") and "{dataset-cards}" in text
        assert not place or made or f"({place})=\n" in text, new


def test_a_link_to_a_place_on_a_page_that_went_keeps_the_place(moved, monkeypatch, tmp_path):
    monkeypatch.setattr(moved, "MOVED", {"book/a/old": "book/b/new#sec-x", "book/c/old": "book/a"})
    (tmp_path / "book" / "a").mkdir(parents=True)
    moved._write(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html")), None)
    [written] = tmp_path.rglob("*.html")
    text = written.read_text(encoding="utf-8")
    assert written.relative_to(tmp_path).as_posix() == "book/a/old.html"
    assert 'href="../b/new.html#sec-x"' in text
    assert 'location.replace("../b/new.html" + location.hash)' in text


def test_every_dataset_has_one_page_and_a_line_in_the_list(listings):
    pages = {path.stem for path in (EXTENSIONS.parent / "reference/data").glob("*.md")}
    assert pages == set(listings.PAGES)
    listed = (EXTENSIONS.parent / "reference/data.md").read_text(encoding="utf-8")
    assert all(f"```{{dataset-index}} {page}\n" in listed for page in pages)
    where = {name: listings.page_of(name) for name in datasets.published()}
    assert set(where.values()) == pages
    assert where["uci-heart-va"] == where["proben1-gene2"] == "proben1"
    assert (where["kin-8nm-sim"], where["boston"], where["robotarm"], where["gaze-again-sim"]) == (
        "delve",
        "delve",
        "others",
        "challenge",
    )
    assert not {
        name for name, page in where.items() if page == "others" and name.startswith("proben1")
    }


def test_the_page_and_the_link_to_it_agree_on_the_anchor(listings):
    from benchbook.show import origins

    assert all(
        listings._anchor(datasets.card(name)) == origins._anchor(name)
        for name in datasets.available()
    )


ROLES = "{glue:figure}{glue}{term}{doc}{ref}{numref}{eq}{math}{cite}{cite:p}{download}{abbr}"


@pytest.mark.parametrize(
    ("kind", "attributes", "text", "shown"),
    [
        ("literal", {}, "{glue:text}", ["{glue:text}"]),
        ("paragraph", {}, "see {doc}`modern` and {glue}`a`", ["{doc}", "{glue}"]),
        ("raw", {"format": "html"}, "<p>a {term}`run`</p>", ["{term}"]),
        ("raw", {"format": "html"}, "<pre>{term}`run`</pre><script>{ref}</script>", []),
        ("raw", {"format": "latex"}, "{ref}", []),
        ("raw", {"format": "html"}, "<code>{ref}</code><style>{eq}</style>{math}", ["{math}"]),
        ("comment", {}, "{ref}", []),
        ("paragraph", {}, ROLES, re.findall("{.*?}", ROLES)),
        ("literal_block", {}, "{glue:text}`a`", []),
        ("math", {}, r"\frac{eq}{ref}", []),
        ("paragraph", {}, "a file {name}.md", []),
    ],
)
def test_a_role_that_a_page_shows_as_written_is_found(unrendered, kind, attributes, text, shown):
    from docutils.utils import new_document

    node = getattr(unrendered.nodes, kind)(text, text, **attributes)
    page = new_document("page")
    page += node if kind != "literal" else unrendered.nodes.paragraph("", "", node)
    assert [role for _, role in unrendered.left(page)] == shown


ICON = '{{"{name}":[448,512,["other"],"f0c9","{path}"],second:[512,512,[128269],"f002","M1 2z"]}}'


def test_icons_are_drawn_from_the_solid_shapes_of_the_themes_script(icons):
    script = ICON.format(name="bars", path="M0 96z") + ICON.format(name="bars", path="M416 208z")
    sheet = icons.style_sheet(script, ["bars", "second"])
    assert ".fa-bars::before,.fa-second::before{content:" in sheet
    assert sheet.count("M416 208z") == 1
    assert "M0 96z" not in sheet
    assert "width:0.875em" in sheet
    with pytest.raises(ValueError, match="no icon called lost"):
        icons.style_sheet(script, ["bars", "lost"])


def test_the_theme_has_every_icon_and_what_nobody_asks_for_goes(icons, tmp_path):
    icons.vendor(tmp_path)
    sheet = (tmp_path / "icons.css").read_text(encoding="utf8")
    assert all(f".fa-{name}::before{{--bb-icon:url(" in sheet for name in icons.NAMES)
    assert len(sheet) < 10_000
    for name in (
        "a.js.map",
        "styles/b.css.map",
        "vendor/fontawesome/webfonts/c.ttf",
        "vendor/fontawesome/webfonts/c.woff2",
        "styles/b.css",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    icons.remove_unused(tmp_path)
    assert {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    } == {
        "icons.css",
        "scripts/fontawesome.js",
        "styles/b.css",
        "vendor/fontawesome/webfonts/c.woff2",
    }


def test_a_long_range_is_cut_between_two_of_its_values(listings):
    assert listings._cut("private public self-employed", 16) == "private public ..."
    assert listings._cut("[0,1,2,3]", 6) == "[0,1 ..."
    assert listings._cut("oneverylongname", 6) == "onever ..."
    assert listings._cut("a b", 3) == "a b"
    assert (listings._cut("a " * 30), listings._cut("ab" * 30 + "c")) == (
        "a " * 30,
        "ab" * 30 + " ...",
    )


def test_a_name_stands_once_in_a_page_and_the_first_place_keeps_it(access):
    body = (
        '<p id="a">x</p><p class="b" id="a">y</p><i id="a-2">z</i><i id="a"></i><code>id="a"</code>'
    )
    assert access.each_once(body) == (
        '<p id="a">x</p><p class="b" id="a-3">y</p><i id="a-2">z</i><i id="a-4"></i><code>id="a"</code>'
    )
    assert access.each_once("<p>no names</p>") == "<p>no names</p>"


def test_mathjax_stays_where_there_is_a_formula(access):
    scripts = [
        SimpleNamespace(filename=name, attributes=attributes)
        for name, attributes in (
            ("_static/mathjax/tex.js", {}),
            (None, {"body": "window.MathJax = {}"}),
            ("x.js", {}),
        )
    ]
    with_one = '<span class="math notranslate">x</span>'
    assert access.without_unused_mathematics(scripts, with_one) == scripts
    assert access.without_unused_mathematics(scripts, '<p class="mathematics">') == scripts[2:]


def test_a_run_page_has_its_result_as_title(run_titles):
    page = nbformat.v4.new_notebook(metadata={"benchbook": {"title": "boston: few cases"}})
    shown = nbformat.v4.new_output(
        "display_data", {"text/html": "<h1>boston: a &amp; <code>b</code></h1>"}
    )
    page.cells = [nbformat.v4.new_code_cell("show.heading()", outputs=[shown])]
    titled = nbformat.reads(run_titles.titled(nbformat.writes(page)), as_version=4)
    assert titled.cells[0].source == "# boston: a & b"

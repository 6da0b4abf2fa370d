"""Pieces of a page: what is marked up, what is escaped, and that nothing leaves no trace."""

import pytest

from benchbook.show import html
from benchbook.show.html import Html

NOTHING = Html("", "")
ONE = html.paragraph("of `a` & b")


@pytest.mark.parametrize(
    ("piece", "text", "page"),
    [
        (ONE, "of `a` & b", "<p>of <code>a</code> &amp; b</p>"),
        (html.paragraph(""), "", ""),
        (
            html.paragraph("see https://x.org/a?b=1&c, or not."),
            "see https://x.org/a?b=1&c, or not.",
            '<p>see <a href="https://x.org/a?b=1&amp;c">https://x.org/a?b=1&amp;c</a>, or not.</p>',
        ),
        (
            html.facts({"a<": 0, "none": "", "b": "`c`"}),
            "a<: 0\nb: `c`",
            '<dl class="bb-facts"><dt>a&lt;</dt>\n<dd><p>0</p></dd>\n<dt>b</dt>\n'
            "<dd><p><code>c</code></p></dd></dl>",
        ),
        (html.stack(ONE, NOTHING, ONE), f"{ONE.text}\n\n{ONE.text}", f"{ONE.html}\n{ONE.html}"),
        (html.fold("`s`", NOTHING), "", ""),
        (
            html.fold("`s`", ONE),
            f"`s`\n{ONE.text}",
            f'<details class="bb-fold"><summary><code>s</code></summary>{ONE.html}</details>',
        ),
        (
            html.admonition("A & b", ["one", "two"], "tip", ["x > y", "z"]),
            "A & b\none\ntwo\n    x > y\n    z",
            '<div class="admonition tip"><p class="admonition-title">A &amp; b</p><p>one</p><p>two</p>'
            '<div class="highlight-shell notranslate"><div class="highlight"><pre>x &gt; y\nz\n</pre>'
            "</div></div></div>",
        ),
        (
            html.admonition("t", ["p"]),
            "t\np",
            '<div class="admonition note"><p class="admonition-title">t</p><p>p</p></div>',
        ),
    ],
)
def test_pieces_of_a_page_and_of_a_terminal(piece, text, page):
    assert (repr(piece), piece._repr_html_()) == (text, page)


def test_what_stands_in_an_attribute_cannot_end_it():
    assert html.escape("\"'<>&") == "&quot;&#x27;&lt;&gt;&amp;"

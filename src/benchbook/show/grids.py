"""Tables of text: columns for a terminal, Markdown with pipes, LaTeX with the lines of booktabs."""

from __future__ import annotations

from collections.abc import Sequence

_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "–": "--",
}


def tex(words: str) -> str:
    """Words as LaTeX writes them."""
    return "".join(_TEX.get(letter, letter) for letter in words)


def grid(
    cells: Sequence[Sequence[str]],
    heads: Sequence[str],
    sides: str = "",
    form: str = "table",
    caption: str = "",
) -> str:
    """A table of texts.

    Args:
        cells: a sequence for each row. heads: over the columns; in a terminal one may have several lines.
        sides: a letter for each column, "r" where its texts stand at the right, else "l"; all "l" when empty.
        form: table (for a terminal), latex or markdown. caption: of LaTeX's table.
    """
    from tabulate import tabulate

    sides = sides or "l" * len(heads)
    if form == "latex":
        head, *body = (
            " & ".join(tex(text.replace("\n", " ")) for text in row) + r" \\"
            for row in (heads, *cells)
        )
        begin, end = rf"\begin{{tabular}}{{{sides}}}", r"\end{tabular}"
        lines = [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end]
        if caption:
            lines = [r"\begin{table}", rf"\caption{{{tex(caption)}}}", *lines, r"\end{table}"]
        return "\n".join(lines)
    if form == "markdown":
        heads, *cells = (
            [text.replace("\n", " ").replace("|", r"\|") for text in row] for row in (heads, *cells)
        )
    align = ["right" if side == "r" else "left" for side in sides]
    style = "pipe" if form == "markdown" else "simple"
    return tabulate(cells, list(heads), style, colalign=align, disable_numparse=True)

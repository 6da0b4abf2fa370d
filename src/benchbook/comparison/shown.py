"""A comparison as HTML in a notebook, as text in a terminal, and as a table for LaTeX: the same rows in each."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbook.comparison import sentence
from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.scale import CLASSES, Axis, share
from benchbook.show.html import Html, escape, inline
from benchbook.show.numbers import number, seconds

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

_MOST_ALARM_COLUMNS = 3
_WIDTH = 88
_STYLE = """<style>
.bb-compare{--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--band:#e4e9ee;--good:#0a6e4f;--goodbg:#e6f4ee;--bad:#9a3412;
--open:#765600;--openbg:#fff6dc;--alarm:#b42318;--alarmbg:#fdecea;--mark:#2357a5;container-type:inline-size;
font:14px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif;color:var(--ink);max-width:54rem;
font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]) body:not([data-jp-theme-light=true]) .bb-compare{DARK}}
[data-theme=dark] .bb-compare,[data-jp-theme-light=false] .bb-compare,.vscode-dark .bb-compare{DARK}
& p{margin:0}& .bb-say{font-size:17px;line-height:1.45;margin:.1rem 0 .35rem}
& .bb-about{color:var(--soft);margin-bottom:.9rem}
& table{border-collapse:collapse;table-layout:auto;width:100%;margin:0;border:0;font-size:14px}
& th{font-weight:500;color:var(--soft);font-size:12.5px;line-height:1.3;text-align:left;
vertical-align:bottom;padding:0 .8rem .4rem 0;border:0;border-bottom:1px solid var(--line);background:none}
& td{padding:.4rem .8rem .4rem 0;border:0;border-bottom:1px solid var(--line);text-align:left;
vertical-align:middle;white-space:nowrap;background:none;color:var(--ink)}
& tr,& tbody tr:nth-child(n),& tbody tr:hover{background:none}
& th:last-child,& td:last-child{padding-right:0}
& .bb-n{text-align:right}& td.bb-m{font-weight:600}
& .bb-i{color:var(--soft);font-size:12.5px}
& .bb-k{display:inline-block;border-radius:4px;padding:.02rem .45rem;font-size:12.5px}
& .bb-best{background:var(--goodbg);color:var(--good);font-weight:600}
& .bb-good{background:var(--goodbg);color:var(--good)}
& .bb-bad{color:var(--bad);padding-left:0}
& .bb-open{background:var(--openbg);color:var(--open)}
& .bb-alarm{background:var(--alarmbg);color:var(--alarm);font-weight:600}
& tr.bb-c td{color:var(--soft)}& tr.bb-c td.bb-m{font-weight:400;font-style:italic}
& .bb-w{border-left:3px solid var(--open);background:var(--openbg);padding:.4rem .7rem;margin:.2rem 0 .6rem}
& .bb-w.bb-a{border-color:var(--alarm);background:var(--alarmbg)}
& dl{display:grid;grid-template-columns:auto 1fr;gap:.15rem .9rem;margin:.7rem 0 0;color:var(--soft);
font-size:12.5px}
& dt{color:var(--ink);font-weight:500;margin:0;float:none;width:auto;white-space:nowrap}& dd{margin:0}
& details{margin-top:.6rem;font-size:12.5px;color:var(--soft)}
& summary{cursor:pointer;color:var(--mark)}
& svg{display:block;overflow:visible}& svg text{font-family:inherit}
& code{font:12px ui-monospace,Menlo,Consolas,monospace;background:var(--band);border-radius:3px;
padding:.05rem .25rem;color:var(--ink)}
& .bb-under{display:none}
@container (max-width:46rem){& .bb-wide{display:none}& .bb-under{display:block}}
@container (max-width:34rem){& .bb-mid{display:none}& td.bb-m{white-space:normal}
& dl{grid-template-columns:1fr}}
</style>""".replace("\n", "")
_DARK = (
    "--ink:#e6e9ec;--soft:#a7b1bc;--line:#3a424b;--band:#2f363d;--good:#5cd0a3;--goodbg:#12352a;--bad:#f0986b;"
    "--open:#e5c463;--openbg:#352c10;--alarm:#ff8f84;--alarmbg:#431a17;--mark:#86b4f5"
)
STYLE = _STYLE.replace("DARK", _DARK).replace(
    "& ", ".bb-compare.bb-compare "
)  # before a notebook's own rules


@dataclass(frozen=True)
class Line:
    """One method as the table shows it; an empty text where there is nothing to show."""

    method: str
    loss: str = ""
    worse_by: str = ""
    interval: str = ""
    probability: str = ""
    verdict: str = ""
    fit: str = ""
    row: dict[str, Any] | None = None
    reason: str = ""


def lines(comparison: Comparison) -> list[Line]:
    """The methods, the best first; those that failed come last."""
    scale = comparison.scales[comparison.codes[0]]
    times = dict(comparison.fits.times.select("method", "fit_seconds").iter_rows())
    made = []
    for row in comparison.rows():
        fit = "–" if row["method"] == CONSTANT else seconds(times.get(row["method"], math.nan))
        verdict = "" if row["method"] == CONSTANT and comparison.severe else row["verdict"] or ""
        first = row["difference"] is None
        made.append(
            Line(
                row["method"],
                scale.write(row["mean"]),
                "" if first else scale.write(row["difference"]),
                "" if first else scale.interval(row["diff_low"], row["diff_high"]),
                "" if first else share(row["prob_worse"]),
                verdict,
                fit,
                row,
            )
        )
    made += [
        Line(name, verdict="not compared", reason=f"failed in {len(faults)}: {faults[0][1]}")
        for name, faults in comparison.errors.items()
    ]
    return made


def shown(comparison: Comparison) -> Html:
    """What a notebook and a terminal show: warnings, the sentence, the table (in a terminal without the strip), what it
    depends on, and in a notebook how to read it."""
    headline, about = sentence.headline(comparison), sentence.about(comparison)
    notes, how = sentence.footnotes(comparison), sentence.how_to_read(comparison)
    methods = lines(comparison)
    cells = _alarm_cells if comparison.severe else _cells
    heads, rows = cells(comparison, methods)
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", inline(headline))
    below = "".join(
        f"<dt>{escape(name)}</dt><dd>{inline(note)}</dd>" for name, note in notes.items()
    )
    body = [
        *map(_warning, comparison.alarms),
        f'<p class="bb-say">{bold}</p>',
        f'<p class="bb-about">{inline(about)}</p>',
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
        f"<dl>{below}</dl>",
        f"<details><summary>How to read this, and what was run</summary>{inline(how)}</details>",
    ]
    above = [
        f"{'ALARM' if alarm.severe else 'Warning'} {alarm.code}: {alarm.text}"
        for alarm in comparison.alarms
    ]
    text = [
        *(textwrap.fill(_plain(words), _WIDTH) for words in (*above, headline, about)),
        _text_table(comparison, methods),
        *(
            textwrap.fill(f"{name}: {_plain(words)}", _WIDTH, subsequent_indent="  ")
            for name, words in notes.items()
        ),
    ]
    return Html(f'{STYLE}<div class="bb-compare">{"".join(body)}</div>', "\n\n".join(text))


def _warning(alarm: Any) -> str:
    severe = " bb-a" if alarm.severe else ""
    title = "<b>Too good to be true?</b> " if alarm.severe else ""
    return f'<p class="bb-w{severe}">{title}{inline(alarm.text)} <span class="bb-i">{alarm.code}</span></p>'


def _title(comparison: Comparison, code: str) -> str:
    """The name of a loss with its unit."""
    title, unit = comparison.loss_info[code].title, comparison.scales[code].unit
    return f"{title}, {unit}" if unit else title


def _mean_head(comparison: Comparison, code: str) -> str:
    """The head of a column of means: its first letter large, the others as they are ("1 - AUC")."""
    title = _title(comparison, code)
    return f'<th class="bb-n">{escape(title[:1].upper() + title[1:])}</th>'


def _cells(comparison: Comparison, methods: list[Line]) -> tuple[str, list[str]]:
    """Heads and rows of the table of differences."""
    code, axis = comparison.codes[0], Axis.of(comparison)
    heads = [
        "<th>Method</th>",
        _mean_head(comparison, code),
        '<th class="bb-n">Worse by</th>',
        '<th class="bb-n bb-wide">95 % interval</th>',
        f'<th class="bb-mid">{axis.head(comparison.scales[code])}</th>',
        '<th class="bb-n bb-wide">Probability<br>that it matters</th>',
        "<th>Verdict</th>",
        '<th class="bb-n bb-wide">Fit</th>',
    ]
    return "".join(heads), [_row(line, line.verdict, *_differences(line, axis)) for line in methods]


def _row(line: Line, verdict: str, before: str, after: str = "") -> str:
    """A method's row: its name, the cells before its verdict, the verdict, and the cells after."""
    kind = ' class="bb-c"' if line.method == CONSTANT else ""
    colour = CLASSES.get(verdict, "open")
    badge = f'<span class="bb-k bb-{colour}">{escape(verdict)}</span>' if verdict else ""
    name = f'<td class="bb-m">{escape(line.method)}</td>'
    return f"<tr{kind}>{name}{before}<td>{badge}</td>{after}</tr>"


def _reason(line: Line, columns: int) -> str:
    """Why a method is not compared, over so many columns."""
    return f'<td class="bb-i" colspan="{columns}" style="white-space:normal">{escape(line.reason)}</td>'


def _differences(line: Line, axis: Axis) -> tuple[str, str]:
    """The cells before and after a method's verdict."""
    if line.row is None:
        empty = '<td class="bb-mid"></td><td class="bb-wide"></td>'
        return f"{_reason(line, 3)}{empty}", '<td class="bb-wide"></td>'
    under = f'<span class="bb-i bb-under">{line.interval}</span>' if line.interval else ""
    cells = [
        f'<td class="bb-n">{line.loss}</td>',
        f'<td class="bb-n">{line.worse_by}{under}</td>',
        f'<td class="bb-n bb-i bb-wide">{line.interval}</td>',
        f'<td class="bb-mid">{axis.strip(line.row)}</td>',
        f'<td class="bb-n bb-wide">{escape(line.probability)}</td>',
    ]
    return "".join(cells), f'<td class="bb-n bb-wide">{line.fit}</td>'


def _alarm_cells(comparison: Comparison, methods: list[Line]) -> tuple[str, list[str]]:
    """Means by the first losses without differences or verdicts: nothing is compared while an alarm stands."""
    codes = comparison.codes[:_MOST_ALARM_COLUMNS]
    heads = "".join(_mean_head(comparison, code) for code in codes)
    rows = []
    for line in methods:
        cells = [
            f'<td class="bb-n">{_mean_or_bound(comparison, code, line.method)}</td>'
            for code in codes
        ]
        verdict = "" if line.method == CONSTANT else "no verdict"
        if line.row is None:
            cells, verdict = [_reason(line, len(codes))], line.verdict
        elif line.method in comparison.too_good:
            verdict = "too good"
        rows.append(_row(line, verdict, "".join(cells)))
    return f"<th>Method</th>{heads}<th>Verdict</th>", rows


def _mean_or_bound(comparison: Comparison, code: str, method: str) -> str:
    """A mean; for an error rate of zero the bound that the number of cases leaves (rule of three)."""
    mean = comparison.mean(code, method)
    if code == "zero_one" and mean == 0.0:
        bound = number(300.0 / len(comparison.data.y), 2)
        return f'0 <span class="bb-i">below {bound}</span>'
    return comparison.scales[code].write(mean)


def _plain(words: str) -> str:
    return words.replace("**", "").replace("`", "")


def headings(comparison: Comparison) -> tuple[str, ...]:
    """The heads of the text table's columns."""
    loss = _title(comparison, comparison.codes[0])
    return ("method", loss, "worse by", "95 % interval", "P(it matters)", "verdict", "fit")


def _text_table(comparison: Comparison, methods: list[Line]) -> str:
    from tabulate import tabulate

    rows = [
        [line.method, line.loss, "", "", "", "no verdict", line.fit]
        if comparison.severe and line.row is not None
        else _texts(line)
        for line in methods
    ]
    align = ("left", "right", "right", "right", "right", "left", "right")
    heads = headings(comparison)
    return tabulate(rows, heads, "simple", colalign=align, disable_numparse=True)


def _texts(line: Line) -> list[str]:
    interval = [line.worse_by, line.interval, line.probability]
    return [line.method, line.loss, *interval, line.verdict, line.fit]


def latex(comparison: Comparison) -> str:
    """The table for a paper (booktabs), with the sentence as its caption."""
    heads = headings(comparison)[:-1]
    body = [
        " & ".join(map(_tex, _texts(line)[:-1])) + r" \\"
        for line in lines(comparison)
        if line.row is not None
    ]
    caption = sentence.for_paper(comparison) or "No verdict: see the warnings of the comparison."
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_tex(caption)}}}",
            r"\begin{tabular}{lrrrrl}",
            r"\toprule",
            " & ".join(map(_tex, heads)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


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
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "–": "--",
}


def _tex(words: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in words)

"""A comparison as HTML in a notebook, as text in a terminal, and as a table for LaTeX: the same rows in each."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchbook.comparison import footnotes, sentence
from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.scale import CLASSES, Axis, share
from benchbook.show.html import Html, escape, inline
from benchbook.show.numbers import number, seconds

if TYPE_CHECKING:
    from benchbook.comparison.alarms import Alarm

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


def lines(comparison: Outcome) -> list[Line]:
    """The methods, the best first, without differences where no verdict is given; those that failed come last."""
    scale = comparison.scales[comparison.codes[0]]
    times = dict(comparison.fits.times.select("method", "fit_seconds").iter_rows())
    made = []
    for row in comparison.rows():
        known = row["method"] in times and not is_baseline(row["method"])
        fit = seconds(times[row["method"]]) if known else "–"
        line = Line(row["method"], scale.means.write(row["mean"]), fit=fit, row=row)
        if comparison.withheld:
            line = replace(line, verdict="" if is_baseline(row["method"]) else "no verdict")
        elif row["difference"] is None:
            line = replace(line, verdict=row["verdict"] or "")
        else:
            line = replace(
                line,
                worse_by=scale.write(row["difference"]),
                interval=scale.interval(row["diff_low"], row["diff_high"]),
                probability=""  # of a method that was picked as the best from the same data it says too much
                if row["verdict"] == "open"
                else share(row["prob_worse" if row["difference"] >= 0 else "prob_better"]),
                verdict=row["verdict"] or "",
            )
        made.append(line)
    made += [
        Line(name, verdict="not compared", reason=f"failed in {len(faults)}: {faults[0][1]}")
        for name, faults in comparison.errors.items()
    ]
    return made


def shown(comparison: Outcome) -> Html:
    """What a notebook and a terminal show: warnings, the sentence, the table (in a terminal without the strip), what it
    depends on, and in a notebook how to read it. Of runs on several tasks the sentence and the table of each."""
    several = len(comparison.parts) > 1
    notes = [footnotes.footnotes(part) for part in comparison.parts]
    common = {
        name: words
        for name, words in notes[0].items()
        if all(own.get(name) == words for own in notes)
    }
    if several:
        common |= {
            name: words for name, words in footnotes.footnotes(comparison).items() if name == _TAKEN
        }
    own_notes = [{k: v for k, v in own.items() if k not in common} for own in notes]
    how = footnotes.how_to_read(comparison.parts[0])
    body = [
        *map(_warning, comparison.alarms),
        *([f'<p class="bb-about">{inline(footnotes.about(comparison))}</p>'] if several else []),
    ]
    text = [
        f"{'ALARM' if alarm.severe else 'Warning'} {alarm.code}: {alarm.text}"
        for alarm in comparison.alarms
    ]
    text = [*map(_filled, [*text, *([footnotes.about(comparison)] if several else [])])]
    for part, below in zip(comparison.parts, own_notes, strict=True):
        body += [*_head_and_table(part), _below(below) if below else ""]
        text += [
            *map(_filled, _in_order(part, sentence.headline(part), footnotes.about(part))),
            _text_table(part, lines(part)),
            *_texts_below(below),
        ]
    body += [
        _below(common),
        f"<details><summary>How to read this, and what was run</summary>{inline(how)}</details>",
    ]
    text += _texts_below(common)
    return Html(f'{STYLE}<div class="bb-compare">{"".join(body)}</div>', "\n\n".join(text))


_TAKEN = "Taken as"


def _head_and_table(comparison: Outcome) -> list[str]:
    """The sentence, the data, and the table."""
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", inline(sentence.headline(comparison)))
    cells = _withheld_cells if comparison.withheld else _cells
    heads, rows = cells(comparison, lines(comparison))
    return [
        *_in_order(
            comparison,
            f'<p class="bb-say">{bold}</p>',
            f'<p class="bb-about">{inline(footnotes.about(comparison))}</p>',
        ),
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    ]


def _below(notes: Mapping[str, str]) -> str:
    texts = (f"<dt>{escape(name)}</dt><dd>{inline(note)}</dd>" for name, note in notes.items())
    return f"<dl>{''.join(texts)}</dl>"


def _texts_below(notes: Mapping[str, str]) -> list[str]:
    return [_filled(f"{name}: {words}", "  ") for name, words in notes.items()]


def _filled(words: str, indent: str = "") -> str:
    return textwrap.fill(_plain(words), _WIDTH, subsequent_indent=indent)


def _in_order(comparison: Outcome, headline: str, about: str) -> tuple[str, str]:
    """The sentence and the data; of results from elsewhere how they were read comes first."""
    return (headline, about) if comparison.read is None else (about, headline)


def _warning(alarm: Alarm) -> str:
    severe = " bb-a" if alarm.severe else ""
    title = "<b>Too good to be true?</b> " if alarm.severe else ""
    return f'<p class="bb-w{severe}">{title}{inline(alarm.text)} <span class="bb-i">{alarm.code}</span></p>'


def _title(comparison: Outcome, code: str) -> str:
    """The name of a loss with its unit, or that it is no loss."""
    title, scale = comparison.loss_info[code].title, comparison.scales[code]
    words = [title, scale.unit, "higher is better" if scale.higher else ""]
    return ", ".join(word for word in words if word)


def _worse_by(comparison: Outcome) -> str:
    """The head of the differences: what they are to, where that is not the best."""
    word = "lower" if comparison.scales[comparison.codes[0]].higher else "worse"
    best = comparison.reference in (None, comparison.rows()[0]["method"])
    return f"{word} by" if best else f"{word} than\n{comparison.reference} by"


def _mean_head(comparison: Outcome, code: str) -> str:
    """The head of a column of means: its first letter large, the others as they are ("1 - AUC")."""
    return f'<th class="bb-n">{escape(_capital(_title(comparison, code)))}</th>'


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _interval(comparison: Outcome) -> str:
    """The head of the intervals, with a word where one of them and Holm's p-value seem to disagree."""
    word = ",\nuncorrected" if any(map(sentence.uncorrected, comparison.rows())) else ""
    return f"95 % interval{word}"


def _cells(comparison: Outcome, methods: list[Line]) -> tuple[str, list[str]]:
    """Heads and rows of the table of differences."""
    code, axis = comparison.codes[0], Axis.of(comparison)
    heads = [
        "<th>Method</th>",
        _mean_head(comparison, code),
        f'<th class="bb-n">{escape(_capital(_worse_by(comparison)))}</th>',
        f'<th class="bb-n bb-wide">{_interval(comparison)}</th>',
        f'<th class="bb-mid">{axis.head(comparison.scales[code])}</th>',
        '<th class="bb-n bb-wide">Probability<br>that it matters</th>',
        "<th>Verdict</th>",
    ]
    rows = [(line, *_differences(line, axis)) for line in methods]
    if not _timed(comparison):
        return "".join(heads), [_row(line, line.verdict, before) for line, before, _ in rows]
    heads.append('<th class="bb-n bb-wide">Fit</th>')
    return "".join(heads), [_row(line, line.verdict, before, after) for line, before, after in rows]


def _timed(comparison: Outcome) -> bool:
    """Whether it is known how long fits took."""
    return comparison.read is None and not comparison.fits.times.is_empty()


def _row(line: Line, verdict: str, before: str, after: str = "") -> str:
    """A method's row: its name, the cells before its verdict, the verdict, and the cells after."""
    kind = ' class="bb-c"' if is_baseline(line.method) else ""
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


def _withheld_cells(comparison: Outcome, methods: list[Line]) -> tuple[str, list[str]]:
    """Means by the first losses without differences or verdicts, where none are given."""
    codes = comparison.codes[:_MOST_ALARM_COLUMNS]
    heads = "".join(_mean_head(comparison, code) for code in codes)
    rows = []
    for line in methods:
        cells = [
            f'<td class="bb-n">{_mean_or_bound(comparison, code, line.method)}</td>'
            for code in codes
        ]
        if line.row is None:
            cells = [_reason(line, len(codes))]
        too_good = line.method in comparison.too_good
        rows.append(_row(line, "too good" if too_good else line.verdict, "".join(cells)))
    return f"<th>Method</th>{heads}<th>Verdict</th>", rows


def _mean_or_bound(comparison: Outcome, code: str, method: str) -> str:
    """A mean; for an error rate of zero the bound that the number of cases leaves (rule of three)."""
    mean = comparison.mean(code, method)
    if code == "zero_one" and mean == 0.0 and comparison.cases:
        bound = number(300.0 / comparison.cases, 2)
        return f'0 <span class="bb-i">below {bound}</span>'
    return comparison.scales[code].means.write(mean)


def _plain(words: str) -> str:
    return words.replace("**", "").replace("`", "")


def _heads(comparison: Outcome) -> list[str]:
    """The heads of the text table's columns, without the time of fits."""
    loss = _title(comparison, comparison.codes[0])
    worse, interval = _worse_by(comparison), _interval(comparison)
    return ["method", loss, worse, interval, "P(it matters)", "verdict"]


def _text_table(comparison: Outcome, methods: list[Line]) -> str:
    if not _timed(comparison):
        return _grid(comparison, map(_texts, methods))
    return _grid(comparison, ([*_texts(line), line.fit] for line in methods), further=("fit",))


def _texts(line: Line) -> list[str]:
    return [line.method, line.loss, line.worse_by, line.interval, line.probability, line.verdict]


def markdown(comparison: Outcome) -> str:
    """The table in Markdown (a pipe between columns), with the sentence below it; one for each of several tasks."""
    if len(comparison.parts) > 1:
        return "\n".join(map(markdown, comparison.parts))
    below = sentence.for_paper(comparison) or _NO_VERDICT
    return f"{_paper_table(comparison, 'markdown')}\n\n{below}\n"


_NO_VERDICT = "No verdict: see the warnings of the comparison."


def latex(comparison: Outcome) -> str:
    """The table for a paper (booktabs), with the sentence as its caption; one for each of several tasks."""
    if len(comparison.parts) > 1:
        return "\n\n".join(map(latex, comparison.parts))
    caption = sentence.for_paper(comparison) or _NO_VERDICT
    return _paper_table(comparison, "latex", caption)


def _paper_table(comparison: Outcome, form: str, caption: str = "") -> str:
    """The table without methods that failed and without times."""
    rows = (_texts(line) for line in lines(comparison) if line.row is not None)
    return _grid(comparison, rows, form, caption)


def _grid(
    comparison: Outcome,
    rows: Iterable[list[str]],
    form: str = "table",
    caption: str = "",
    further: Sequence[str] = (),
) -> str:
    from benchbook.show.grids import grid  # what is not shown needs none

    sides = "lrrrrl" + "r" * len(further)
    return grid(list(rows), [*_heads(comparison), *further], sides, form, caption)

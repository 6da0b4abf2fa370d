"""Reports checked line by line, and the rules of the form themselves."""

from pathlib import Path

from benchbook.show.html import Html, escape
from benchbook.show.tables import table
from benchbook_book import form as checklist
from benchbook_book.form import Finding
from benchbook_book.making.inputs import checkout


def reviewed(text: str, brief: bool = False) -> Html:
    """A report line by line, each finding below the line that it is about; what has no line comes last.

    Args:
        text: TOML, right or wrong by the rules; a text that is no TOML raises ``tomllib.TOMLDecodeError``.
        brief: leave out the lines without a finding, but for the headings over the others.
    """
    import tomllib

    found = checklist.findings(tomllib.loads(text), checklist.toml_line_numbers(text))
    by_line: dict[int, list[Finding]] = {}
    for finding in found:
        by_line.setdefault(finding.line or 0, []).append(finding)
    lines = text.rstrip().splitlines()
    shown = _shown(lines, set(by_line)) if brief else range(1, len(lines) + 1)
    body = "".join(
        _line(str(number), lines[number - 1], by_line.get(number, [])) for number in shown
    )
    if 0 in by_line:
        body += _line("", "", by_line[0])
    faults = sum(1 for finding in found if not finding.warning)
    label = f"A report with {faults} faults and {len(found) - faults} remarks, each below its line"
    plain = "\n".join(
        part
        for number in (*shown, 0)
        for part in (
            lines[number - 1] if number else "",
            *(f"    ^ {one.write} [{one.broken.source}]" for one in by_line.get(number, [])),
        )
    )
    return Html(
        f'<div class="bb-reviewed" role="region" tabindex="0" aria-label="{label}"><ol>{body}</ol></div>',
        plain,
    )


def _shown(lines: list[str], wanted: set[int]) -> list[int]:
    """The numbers of the wanted lines and of the last heading before each."""
    numbers, heading = set[int](), 0
    for number, line in enumerate(lines, start=1):
        heading = number if line.startswith("[") else heading
        numbers |= {heading, number} if number in wanted else set()
    return sorted(numbers - {0})


def _line(number: str, text: str, found: list[Finding]) -> str:
    kind = (
        ""
        if not found
        else "bb-warning"
        if all(finding.warning for finding in found)
        else "bb-fault"
    )
    notes = "".join(
        f'<p class="{"bb-warning" if one.warning else "bb-fault"}"><strong>'
        f"{'Remark' if one.warning else 'Refused'}: {escape(one.key)}.</strong> {_missing(one)}Write "
        f"{escape(one.write)}. <em>{escape(one.broken.name)}</em> ({escape(one.broken.source)})</p>"
        for one in found
    )
    return f'<li data-line="{number}" class="{kind}"><code>{escape(text) or "&nbsp;"}</code>{notes}</li>'


def _missing(finding: Finding) -> str:
    """What was found, where the line does not show it."""
    begin, nothing, more = finding.found.partition("nothing")
    return f"Missing{escape(more)}. " if nothing and not begin else ""


def rules() -> Html:
    """The rules of the form, with the section of PROBEN1 that states each; ours are marked."""
    lines = [
        {
            "section": f"{rule.section}{', ours' if rule.ours else ''}",
            "rule": rule.name,
            "what it asks": rule.words,
        }
        for rule in checklist.RULES.values()
    ]
    return table(
        lines, "What the form asks for, in our words, and where PROBEN1 asks for it", label="rule"
    )


def example(name: str) -> str:
    """The text of a report that stands beside the chapters of this part."""
    return (Path(checkout()) / "book" / "proben1" / name).read_text(encoding="utf8")

"""Words tinted by their relevance, several readings under one another, and how far the readings agree; as HTML.

One scale for all: blue speaks against the class, orange for it, the page's own colour is 0. A number with its sign
stands in every word, so that nothing is told by colour alone. Each word is a column of its own and the columns wrap, so
the readings stay aligned at any width. The names at the left are written by the style sheet, once a column over one
another: whichever column begins a line, its names are there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from seer.charts.captions import counted
from seer.charts.names import short_names
from seer.charts.scale import SCALE, Line, exact, level, written
from seer.traces import FloatArray

_TOLD = 28
"""Letters of the class in the line on the colours."""

STYLE = f"""<style>
{SCALE}
.seer-words, .seer-matrix {{ container-type: inline-size; }}
.seer-words .grid {{ position: relative; padding-left: calc(var(--room) + .5rem); --names: var(--long); }}
.seer-words .col {{ display: inline-block; vertical-align: top; margin: 0 .16rem .55rem 0; }}
.seer-words .col::before {{ content: var(--names); position: absolute; left: 0; width: var(--room);
  box-sizing: border-box; padding: 0 .5rem; white-space: pre; overflow: hidden; font-size: .84rem; line-height: 2.9rem;
  direction: ltr; text-align: left; border-radius: .3rem; background: light-dark(#F3F5F8, #1C222C); }}
@supports (content: "a" / "") {{ .seer-words .col::before {{ content: var(--names) / ""; }} }}
.seer-words.bare .grid {{ padding-left: 0; }}
.seer-words.bare .col::before {{ display: none; }}
.seer-words .col > span {{ display: block; height: 2.7rem; margin-bottom: .2rem; padding: .25rem .3rem 0;
  border-radius: .25rem; box-sizing: border-box; max-width: 13rem; overflow: hidden; text-overflow: ellipsis;
  text-align: center; white-space: pre; line-height: 1.3; }}
.seer-words .col > span:not(:first-child) {{ user-select: none; }}
.seer-words .col > span::after {{ content: attr(data-r); display: block; font-size: .7rem; line-height: 1.2;
  font-variant-numeric: tabular-nums; direction: ltr; unicode-bidi: isolate; }}
.seer-scale u {{ text-decoration: underline dotted 2px; text-underline-offset: .18em; }}
.seer-words s {{ text-decoration: line-through 2px; opacity: .6; }}
.seer-words .framed {{ border-block: 3px solid currentColor; margin-top: -3px; }}
.seer-words .cut {{ opacity: .7; font-style: italic; font-size: .85rem; line-height: 2.7rem; }}
.seer-words .key {{ display: none; font-size: .82rem; opacity: .85; }}
.seer-words .key span {{ display: inline-block; margin-inline-end: .9rem; }}
.seer-matrix {{ overflow-x: auto; }}
.seer-matrix table {{ border-collapse: separate; border-spacing: 2px; font-size: .86rem; margin: 0; border: 0; }}
.seer-matrix th, .seer-matrix td {{ border: 0; padding: .3rem .35rem; text-align: center; }}
.seer-matrix th {{ font-weight: 400; white-space: nowrap; }}
.seer-matrix th[scope=row] {{ text-align: start; }}
.seer-matrix td {{ border-radius: .25rem; min-width: 2.9rem; font-variant-numeric: tabular-nums; }}
.seer-matrix .short {{ display: none; }}
@container (max-width: 560px) {{
  .seer-words .grid {{ padding-left: 3.3rem; --names: var(--short); }}
  .seer-words .col::before {{ width: 3rem; padding: 0 .3rem; font-size: .76rem; }}
  .seer-words .key {{ display: block; }}
  .seer-matrix .short {{ display: inline; }}
  .seer-matrix .long {{ display: none; }}
}}
</style>"""
"""Put once on a page that shows what this module draws."""


def words_html(
    words: Sequence[str],
    lines: Sequence[Line],
    *,
    known: Sequence[bool] | None = None,
    framed: Collection[int] = (),
    struck: Collection[int] = (),
    first: int = 0,
    most: int = 400,
    bare: bool = False,
) -> str:
    """The words of a sentence once a line, each tinted by its relevance in that line and its number under it.

    Args:
        words: T of them.
        lines: one reading or more.
        known: (T,) whether each is in the vocabulary.
        framed: words with a frame.
        struck: words that are crossed out.
        first: word to begin at; those before it are said, not drawn.
        most: words drawn at most; those after are said, not drawn.
        bare: without names at the left.
    """
    last = min(len(words), first + most)
    columns = []
    for place in range(first, last):
        strange = known is not None and not known[place]
        shown = escape(words[place])
        shown = f"<u>{shown}</u>" if strange else shown
        shown = f"<s>{shown}</s>" if place in struck else shown
        about = f"{words[place]} · word {place + 1}{', not in the vocabulary' if strange else ''}"
        cells = "".join(_cell(shown, about, float(line.relevance[place]), line) for line in lines)
        columns.append(f'<span class="col{" framed" if place in framed else ""}">{cells}</span>')
    before = f'<div class="cut">{counted(first, "word")} before …</div>' if first else ""
    after = f'<div class="cut">… {counted(len(words) - last, "word")} more</div>' if last < len(words) else ""
    names = " ".join(
        f"--{size}:'{_css_lines([getattr(line, field) for line in lines])}';"
        for size, field in (("long", "name"), ("short", "code"))
    )
    room = f"--room:{max(4, 0.42 * max(len(line.name) for line in lines) + 1.2):.1f}rem;"
    short = [line for line in lines if line.code != line.name and not bare]
    key = "".join(f"<span><b>{escape(line.code)}</b> {escape(line.name)}</span>" for line in short)
    told = f"{counted(len(words), 'word')}, tinted by relevance: {', '.join(line.name for line in lines)}"
    return (
        f'<div class="seer-words seer-scale{" bare" if bare else ""}" role="figure" aria-label="{escape(told)}">'
        f'{before}<div class="grid" dir="auto" style="{escape(room + names)}">{"".join(columns)}</div>{after}'
        f'<div class="key">{key}</div></div>'
    )


def scale_html(target: str, *, shared: bool = False, unsigned: bool = False, unknown: bool = True) -> str:
    """What the colours and numbers mean, in one line.

    Args:
        target: name of the class that is explained.
        shared: the lines share one scale.
        unsigned: one of the lines has no sign.
        unknown: tell of the words that the vocabulary lacks.
    """
    whole = "the largest on show" if shared else "the largest of its line"
    target = short_names((target,), _TOLD)[0]
    items = [
        f'<span>against {escape(target)} <span class="bar"></span> for {escape(target)}</span>',
        f"<span>strongest colour = {whole}</span>",
        "<span><b>+ −</b> the number itself, on the logit</span>",
    ]
    if unsigned:
        items.append("<span>a number without a sign tells only how strong</span>")
    if unknown:
        items.append("<span><u>word</u>not in the vocabulary</span>")
    return f'<div class="seer-legend seer-scale">{"".join(items)}</div>'


def agreement_html(names: Sequence[str], codes: Sequence[str], correlation: FloatArray) -> str:
    """A matrix of rank correlations, its cells tinted on the same scale, −1 to 1.

    Args:
        names: of the M readings, at the left.
        codes: the same in short, above.
        correlation: (M, M), NaN where it is not defined.
    """
    pairs = zip(names, codes, strict=True)
    head = "".join(f'<th scope="col" title="{escape(name)}">{escape(code)}</th>' for name, code in pairs)
    rows = []
    for row, (name, code) in enumerate(zip(names, codes, strict=True)):
        cells = []
        for column, other in enumerate(names):
            value = float(correlation[row, column])
            text, tint = ("1", "") if row == column else (_rank(value), level(value, 1))
            cells.append(f'<td class="{tint}" title="{escape(f"{name} and {other}: {text}")}">{text}</td>')
        both = f'<span class="long">{escape(name)}</span><span class="short">{escape(code)}</span>'
        rows.append(f'<tr><th scope="row" title="{escape(name)}">{both}</th>{"".join(cells)}</tr>')
    return (
        '<div class="seer-matrix seer-scale"><table><thead><tr><th></th>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _rank(value: float) -> str:
    return written(value, 1)


def _cell(word: str, about: str, value: float, line: Line) -> str:
    limit = line.strongest
    number, title = written(value, limit, line.signed), escape(f"{about} · {line.name} {exact(value)}")
    return f'<span class="{level(value, limit)}" data-r="{number}" title="{title}">{word}</span>'


def _css_lines(names: Sequence[str]) -> str:
    """Names as the lines of a CSS string; what CSS could read as anything else goes."""
    return r"\A ".join("".join(sign for sign in name if sign.isprintable() and sign not in "'\"\\<>") for name in names)

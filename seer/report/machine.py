"""The state machine in the report: the graph with a card of each state and transition, and the table of states."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from seer.charts.captions import counted, state_name
from seer.charts.layout import place_states
from seer.charts.network import GraphOptions, graph_data
from seer.patterns.words import Phrase, phrases_by_transition, transition_phrases
from seer.report.markup import (
    Column,
    bar,
    clipped,
    counted_words,
    decimal,
    interval,
    percent,
    section,
    state_link,
    table,
)
from seer.report.subject import Subject
from seer.text import readable
from seer.traces import START

WORDS, PHRASES, WAYS = 12, 8, 5

Pair = tuple[int, int]


def machine_section(subject: Subject, data: dict[str, Any]) -> str:
    """The graph of ``drawn`` and the table of states.

    Args:
        subject: of the report.
        data: of ``drawn``.
    """
    pairs = [(edge["from"], edge["to"]) for edge in data["edges"]]
    states = range(subject.machine.states + 1)
    known = set(pairs)
    phrases = phrases_by_transition(subject.traces, top=PHRASES)
    cards = [_state_card(subject, state, known) for state in states]
    cards += [_edge_card(subject, pair, phrases.get(pair)) for pair in pairs]
    # Inside <script> only "</" and "<!--" matter; written this way it is still the same JSON.
    content = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    body = (
        f'<div class="machine"><div id="graph" class="graph"><noscript><p class="empty">The drawing needs JavaScript; '
        "the table below says what it shows.</p></noscript></div>"
        f'<aside id="cards" aria-live="polite"><p class="hint">Click a state or an arrow to read its words and figures '
        f"here.</p>{''.join(cards)}</aside></div>"
        f'<script type="application/json" id="graph-data">{content}</script>'
        f"<h3>States</h3>{_table(subject)}"
    )
    states_text = counted(subject.machine.states, "state")
    lead = (
        f"The hidden states of the network, grouped into {states_text}. An arrow is a step from one word to the next; "
        "the strongest three out of each state are drawn, and those where errors gather."
    )
    return section("machine", "State machine", body, lead)


def drawn(subject: Subject, kept: Iterable[Pair] = ()) -> dict[str, Any]:
    """What the graph draws of the split, with transitions that must not be missing; texts are storable as UTF-8."""
    machine, positions = subject.machine, place_states(subject.study.machine(None))
    options, colours = GraphOptions(noun=subject.noun), subject.colours
    data = graph_data(machine, options, positions, colours=colours)
    edges = {edge["id"]: edge for edge in data["edges"]}
    for pair in kept:
        more = graph_data(machine, options, positions, transition=pair, colours=colours)["edges"]
        edges |= {edge["id"]: edge for edge in more if edge["id"] not in edges}
    data["edges"] = sorted(edges.values(), key=lambda edge: (edge["from"], edge["to"]))
    clean: dict[str, Any] = json.loads(readable(json.dumps(data, allow_nan=False, ensure_ascii=False)))
    return clean


def error_sentence(subject: Subject, state: int) -> str:
    """How often sentences through a state are wrong, against the whole."""
    machine = subject.machine
    if not machine.labelled[state]:
        return f"No labelled {subject.noun} passes it."
    low, high = machine.interval[state].tolist()
    lift = "" if np.isnan(machine.lift[state]) else f", lift {machine.lift[state]:.2f}"
    return (
        f'<b class="bad">✕ {percent(float(machine.error_rate[state]))}</b> of the {int(machine.labelled[state]):,} '
        f"labelled {subject.noun}s through it are wrong (95 %: {interval(low, high)}); "
        f"{percent(machine.base_error_rate)} of all are{lift}."
    )


def _state_card(subject: Subject, state: int, known: set[Pair]) -> str:
    machine, study = subject.machine, subject.study
    parts = [f"<h4>{'Start' if state == START else state_name(state)}</h4>"]
    if state == START:
        parts.append(f"<p>{counted(int(machine.visits[START]), subject.noun)} begin here.</p>")
    else:
        visits, sentences = int(machine.visits[state]), int(machine.sentences[state])
        mostly = ""
        if machine.majority[state] >= 0:
            name = study.classes[int(machine.majority[state])]
            mostly = f" Mostly {subject.chip(name)}, in {percent(float(machine.purity[state]))} of the visits."
        parts.append(f"<p>{counted(visits, 'visit')} in {counted(sentences, subject.noun)}.{mostly}</p>")
        parts.append(f"<p>{error_sentence(subject, state)}</p>")
        words = counted_words(subject.typical_words(state, WORDS))
        parts.append(f'<h5>Distinctive words</h5><p class="said">{words or "none"}</p>')
        into = machine.transitions[:, state]
        parts.append(_ways("Ways in", into, [(other, state) for other in range(len(into))], known))
    out = machine.transitions[state]
    parts.append(_ways("Ways out", out, [(state, other) for other in range(len(out))], known))
    return f'<article class="place" id="state-{state}">{"".join(parts)}</article>'


def _ways(title: str, counts: np.ndarray[Any, Any], pairs: Sequence[Pair], known: set[Pair]) -> str:
    order = [int(at) for at in np.argsort(-counts, kind="stable")[:WAYS] if counts[at]]
    items = [f"{_pair_name(pairs[at], known)} {percent(float(counts[at] / counts.sum()))}" for at in order]
    return f"<h5>{title}</h5><p>{' · '.join(items) or 'none'}</p>"


def _pair_name(pair: Pair, known: set[Pair]) -> str:
    source, target = (state_name(state) for state in pair)
    name = f"{source} stays" if source == target else f"{source} → {target}"
    return f'<a class="s" href="#edge-{pair[0]}-{pair[1]}">{name}</a>' if pair in known else name


def _edge_card(subject: Subject, pair: Pair, phrases: Sequence[Phrase] | None) -> str:
    source, target = pair
    machine, words = subject.machine, subject.study.words
    found = phrases if phrases is not None else transition_phrases(subject.traces, source, target, top=PHRASES)
    steps = f"{subject.noun}s" if source == START else f"steps out of {state_link(source)}"
    read = "".join(
        f"<li>{'' if phrase.before is None else clipped(words[phrase.before], 40) + ' '}"
        f'<b>{clipped(words[phrase.after], 40)}</b> <span class="times">×{phrase.count:,}</span></li>'
        for phrase in found
    )
    return (
        f'<article class="place" id="edge-{source}-{target}"><h4>{state_name(source)} → {state_name(target)}</h4>'
        f"<p>{counted(int(machine.transitions[pair]), 'time')}, {percent(float(machine.probability[pair]))} of the "
        f"{steps}; leads to {state_link(target)}.</p><h5>Words read at it</h5>"
        f'<ul class="plain said">{read or "<li>none</li>"}</ul></article>'
    )


def _table(subject: Subject) -> str:
    records = subject.machine.state_records()
    most = max((record["visits"] for record in records), default=1) or 1
    columns = (
        Column("State"),
        Column("Visits", "number"),
        Column("Mostly"),
        Column("Purity", "number"),
        Column("Wrong", "number"),
        Column("95 % interval", "number"),
        Column("Lift", "number"),
        Column("Distinctive words", "wide"),
    )
    rows = []
    for record in records:
        low, high = record["error_low"], record["error_high"]
        sure = record["lift_low"] is not None and record["lift_low"] > 1
        rate = percent(record["error_rate"])
        rows.append(
            [
                state_link(record["id"]),
                f"{record['visits']:,}{bar(record['visits'] / most)}",
                "–" if record["majority"] is None else subject.chip(record["majority"]),
                percent(record["purity"]),
                (f'<b class="bad">✕ {rate}</b>' if sure else rate) + bar(record["error_rate"], low, high, "wrong"),
                interval(low, high) or "–",
                decimal(record["lift"]),
                counted_words(subject.typical_words(record["id"]), 40) or "–",
            ]
        )
    note = '<p class="note">✕ marks states whose interval lies above the error rate of the whole.</p>'
    return table(columns, rows, "stack") + note

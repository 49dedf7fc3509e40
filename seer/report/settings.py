"""What the study was made of, what to know about it, and how its figures come about."""

from __future__ import annotations

import json
from typing import Any

from seer.report.markup import clipped, percent, section, text
from seer.report.subject import Subject

METHOD = (
    "The network gives a hidden state after each word; the <i>intermediate prediction</i> is its class distribution "
    "for the words so far. A two-way network is re-run on each prefix.",
    "Hidden states of training words are reduced by PCA and grouped into numbered states, by falling visits.",
    "<i>Fidelity</i>: share of held-out steps whose predicted class is the majority class of their state; <i>purity</i>"
    ": the same within one state; <i>stability</i>: adjusted Rand index against refits with other seeds.",
    "The machine counts occurrences. A state’s error rate is that of the sentences through it, with Wilson’s 95 % "
    "interval; <i>lift</i> is that rate over the rate of the whole.",
    "<i>Distinctive</i> words are read into a state more often than chance allows (log-odds with a Dirichlet prior).",
    "<i>Patterns</i> are counted exactly, by sentences that hold them. p is Fisher’s exact test for more errors than "
    "the whole has; q corrects it for all patterns compared (Benjamini and Hochberg).",
)
SOURCES = (
    "States, traces and patterns follow DeepSeer (Wang, Huang, Song, Ma, Zhang, CHI 2023) and DeepStellar (Du et al., "
    "FSE 2019); distinctive words follow Monroe, Colaresi and Quinn (2008)."
)
LONG = 2_000
"""Characters of one setting or notice."""


def settings_section(subject: Subject) -> str:
    """Settings, notices and hashes."""
    study, manifest = subject.study, subject.study.manifest
    corpus, quality = study.corpus, study.quality
    sizes = ", ".join(f"{split} {len(study.rows(split)):,}" for split in corpus.splits)
    data = {
        "Data set": corpus.name,
        "Source": manifest["corpus"]["source"],
        "Splits": sizes,
        "Classes": ", ".join(study.classes),
        "Vocabulary": f"{study.tokenizer.size:,} words",
        "Network": study.architecture.describe(),
        "Architecture": study.architecture.as_dict(),
        "Training": study.checkpoint.get("training", {}),
        "States": manifest.get("analysis", {}),
        "Purity of states": percent(quality.purity, 1).replace("&lt;", "<"),
        "Fidelity at the last word": percent(quality.fidelity_final, 1).replace("&lt;", "<"),
        "Quality measured on": manifest.get("quality_split", "–"),
        "Seed": manifest["seed"],
        "Made": manifest.get("made", "–"),
        "Libraries": manifest.get("libraries", {}),
    }
    rows = "".join(f"<div><dt>{text(name)}</dt><dd>{_said(value)}</dd></div>" for name, value in data.items())
    hashes = {"study": study.hash, **manifest["hashes"]}
    sums = "".join(
        f"<div><dt>{text(name)}</dt><dd><code>{text(value)}</code></dd></div>" for name, value in hashes.items()
    )
    found = (*corpus.notices, *manifest.get("notices", ()), *study.abstraction.notices_)
    notices = "".join(f"<li>{clipped(notice, LONG)}</li>" for notice in dict.fromkeys(map(str, found)))
    body = (
        f'<dl class="facts">{rows}</dl><h3>Notices</h3>'
        + (f"<ul>{notices}</ul>" if notices else "<p class='note'>None.</p>")
        + f'<h3>Hashes</h3><p class="note">SHA-256 of what the figures follow from.</p><dl class="facts">{sums}</dl>'
    )
    return section("settings", "Settings", body)


def method_section() -> str:
    """How the figures come about."""
    lines = "".join(f"<li>{line}</li>" for line in METHOD)
    return section("method", "Method", f'<ol>{lines}</ol><p class="note">{SOURCES}</p>')


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return clipped(", ".join(f"{key} {_plain(part)}" for key, part in value.items()), LONG)
    return clipped(_plain(value), LONG)


def _plain(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)

"""Forty classes with names that are long, alike, or markup; few rows for some, none in the test split for others."""

from __future__ import annotations

import numpy as np

LONG = "card payment not recognised by the account holder in branch"
CLASSES = (
    *(f"class {number}" for number in (2, 10, 1, 20)),
    *(f"{LONG} {letter}" for letter in "AB"),
    *(
        "R&D's",
        "<b>bold</b>",
        "<img src=x onerror=alert(1)>",
        "$x$ and $y$",
        ":red[x]",
        "[link](http://x.y)",
        "2",
        "12",
    ),
    *(
        "测试类别",
        "الدفع بالبطاقة",
        "Überweisung zurückgewiesen",
        "emoji 🙂 class",
        "a_long_name_without_any_blank_in_it_" * 2,
    ),
    *(f"topic {number}" for number in range(21)),
)


def forty_rows(rows: int = 600) -> list[tuple[str, int, str]]:
    """(text, label, split); class k has a word of its own, sizes fall, the last classes have no row to test."""
    random = np.random.default_rng(40)
    sizes = np.maximum(3, np.round(np.geomspace(60, 3, len(CLASSES)) * rows / 700)).astype(int)
    made = []
    for label, size in enumerate(sizes):
        for place in range(size):
            words = [*random.choice(["the", "my", "please", "help", "with", "not"], 5), f"word{label}"]
            random.shuffle(words)
            made.append((" ".join(words), label, ("train", "test")[place % 2] if label < 36 else "train"))
    return made

"""Arithmetic: whether a method finds the numbers that a small net added or subtracted."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.evaluation.arithmetic import Arithmetic, arithmetic
from seer.hosting import read_only
from seer.ui.frame import View
from seer.ui.relevance.evaluations import choice, result_of

MODELS = (2, 5, 10)


def arithmetic_panel(view: View) -> None:
    """Settings, the run, and what it found."""
    st.caption(
        "Small LSTMs learn to add or to subtract two numbers among noise. The right relevance is known: each number "
        "itself, 0 for the noise. It depends on no study."
    )
    if read_only():
        st.info("This server trains nothing; run it on one of your own.", icon=":material/lock:")
        return
    models = choice("Models a task", "models", 2, MODELS, width=130)
    found = result_of(
        "arithmetic",
        models,
        lambda progress: arithmetic(models=models, progress=progress),
        f"Trains {models} models a task first: half a minute or more.",
    )
    if found is not None:
        _arithmetic_result(found)


def _arithmetic_result(found: Arithmetic) -> None:
    number = partial(st.column_config.NumberColumn, width=92)
    for task in found.tasks:
        st.subheader(task.task.capitalize())
        st.caption(
            f"{counted(task.models, 'model')} of {counted(task.tries, 'try').replace('trys', 'tries')}, "
            f"mean squared error {task.error:.1e} on {found.sequences:,} longer sequences each; memory cell near "
            f"{task.memory:.3f}, so LRP's eps must be far smaller."
        )
        table = pd.DataFrame(
            {
                "method": [score.title for score in task.scores],
                "first": [100 * score.correlation_a for score in task.scores],
                "second": [100 * score.correlation_b for score in task.scores],
                "error": [score.squared_error for score in task.scores],
                "elsewhere": [score.elsewhere for score in task.scores],
            }
        )
        second = "100 is right" if task.task == "addition" else "−100 is right: it is taken away"
        st.dataframe(
            table,
            hide_index=True,
            height="content",
            column_config={
                "method": st.column_config.TextColumn(width=190),
                "first": number("first number, %", format="%.2f", help="Correlation with its relevance. 100 is right."),
                "second": number("second number, %", format="%.2f", help=f"Correlation with its relevance. {second}."),
                "error": number(
                    "sum off by",
                    format="%.1e",
                    help="Mean squared difference of the two numbers' relevance, added, from the answer. 0 is right.",
                ),
                "elsewhere": number("on noise", format="%.3f", help="Mean |relevance| of the other steps. 0 is right."),
            },
            key=f"evaluate-{task.task}",
        )
    st.caption(
        "How to read it: a faithful method is near 100 % on addition. Subtraction is harder: the net may share its "
        "numbers out in another way. LRP needs an eps small against the memory cell."
    )

"""What a server does once, before it shows the first page."""

from __future__ import annotations

import gc
import os

import streamlit as st
import torch

from seer.jobs.leftovers import clear_all

THREADS = "OMP_NUM_THREADS"


@st.cache_resource(show_spinner=False)
def begin() -> None:
    """Clear what is left of runs that are gone, and keep sessions from taking each other's cores.

    Each session computes on one thread unless the server's owner asks for more: the texts that are read here are short,
    and two sessions with a thread a core each wait for one another.
    """
    if not os.environ.get(THREADS):
        torch.set_num_threads(1)  # also of every thread that begins later
    clear_all()
    # Streamlit collects garbage after every run: what the program itself holds, and keeps, need not be looked through.
    gc.collect()
    gc.freeze()

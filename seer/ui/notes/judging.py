"""The labels of training sentences judged by cross-validation: in the background, since it takes minutes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import streamlit as st

from seer.charts.captions import counted
from seer.errors import SeerError
from seer.hosting import read_only
from seer.progress import remaining_seconds
from seer.study import Study
from seer.suspects import Suspects, training_suspects
from seer.suspects.labels import FOLDS
from seer.ui import state
from seer.ui.frame import fragment

_EVERY = 1.0
"""Seconds between two looks at the progress."""
KEPT = 20
"""Studies whose last run is kept."""


class _StoppedError(SeerError):
    """The person stopped the work."""


@dataclass(eq=False)
class Judging:
    """One run over a study; its thread writes the fields, pages read them.

    Attributes:
        found: the suspects, when it is through.
        fault: why there are none, in a sentence.
        stopped: whether somebody stopped it.
        share: how much is done, 0 to 1.
        left: seconds left at the pace so far, None before there is one.
    """

    found: Suspects | None = None
    fault: str | None = None
    stopped: bool = False
    share: float = 0.0
    left: float | None = None
    thread: threading.Thread | None = field(default=None, repr=False)

    def start(self, study: Study) -> None:
        """Begin."""
        # A daemon: the server can end at any time, and nothing is half written then.
        self.thread = threading.Thread(target=self._work, args=(study,), name="judging", daemon=True)
        self.thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.thread is not None and self.thread.is_alive()

    def _work(self, study: Study) -> None:
        started = time.monotonic()

        def tell(_: str, done: int, total: int) -> None:
            if self.stopped:
                raise _StoppedError("Stopped.")
            self.share, self.left = done / max(total, 1), remaining_seconds(started, done, total)

        self.fault = "The judging failed; the server's log has the details."
        try:
            self.found = training_suspects(study, progress=tell)
            self.fault = None
        except _StoppedError:
            self.fault = None
        except SeerError as error:
            self.fault = str(error)


class _Runs:
    """The last run of each study by its hash, of the last studies; shared by all sessions."""

    def __init__(self) -> None:
        self._runs: dict[str, Judging] = {}
        self._lock = threading.Lock()

    def get(self, study: Study) -> Judging | None:
        return self._runs.get(study.hash)

    def start(self, study: Study) -> None:
        """Begin unless a run is under way or through, or nothing is trained on this server."""
        with self._lock:
            if read_only():
                return
            run = self._runs.get(study.hash)
            if run is None or not (run.running or run.found is not None):
                self._runs[study.hash] = run = Judging()
                run.start(study)
                for other in [key for key, old in self._runs.items() if not old.running][:-KEPT]:
                    del self._runs[other]


@st.cache_resource
def _runs() -> _Runs:
    return _Runs()


def judged(study: Study) -> Suspects | None:
    """The suspected labels of the training sentences, None before they are judged."""
    run = _runs().get(study)
    return None if run is None else run.found


def judging_panel(study: Study, sentences: int) -> None:
    """That the training sentences are not judged yet, the button that has them judged, and how far that is.

    Args:
        study: the study.
        sentences: how many of them pass the filter.
    """
    run = _runs().get(study)
    if run is not None and run.running:
        fragment(_watch, run_every=_EVERY)(study)
        return
    st.info(
        f"**{counted(sentences, 'training sentence')} {'is' if sentences == 1 else 'are'} not judged yet.** The model "
        "learned from them, so what it says of them tells little about their labels.",
        icon=":material/hourglass_empty:",
    )
    if not study.has_model:
        st.caption(state.literal(study.why_no_model))
        return
    if read_only():
        st.caption("Judging them would train models, and this server trains none.")
        return
    if run is not None and run.fault is not None:
        st.error(state.literal(run.fault), icon=":material/error:")
    st.button(
        "Judge the training rows by cross-validation",
        key="suspects-judge",
        icon=":material/fact_check:",
        help=f"Trains {FOLDS} models like this one, each without a part of the sentences, which it then judges. That "
        "takes about as long as training the model so many times. It goes on while you work elsewhere.",
        on_click=_runs().start,
        args=(study,),
    )


def _watch(study: Study) -> None:
    run = _runs().get(study)
    if run is None or not run.running:
        st.rerun()
    part = min(int(run.share * FOLDS) + 1, FOLDS)
    left = "the time left shows soon" if run.left is None else f"about {_duration(run.left)} left"
    st.progress(min(run.share, 1.0), f"Judging the training sentences: model {part} of {FOLDS}, {left}")
    st.button("Stop", key="suspects-stop", icon=":material/stop:", on_click=_stop, args=(run,))


def _stop(run: Judging) -> None:
    run.stopped = True
    if run.thread is not None:
        run.thread.join(5)


def _duration(seconds: float) -> str:
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"

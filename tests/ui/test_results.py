import seer.ui.results as module
from seer.ui.results import Results, shown_in


class Bar:
    def __init__(self):
        self.drawn = []

    def progress(self, share, text):
        self.drawn.append((share, text))


def test_the_newest_results_are_kept(monkeypatch):
    monkeypatch.setattr(module, "KEPT", 2)
    store = Results()
    for number in range(3):
        store.put(("key", number), number)
    assert [store.get(("key", number)) for number in range(3)] == [None, 1, 2]


def test_a_bar_moves_now_and_then_and_at_the_end():
    bar = Bar()
    tell = shown_in(bar)
    for done in range(101):
        tell("deletion_runs", done, 100)
    assert bar.drawn[0][0] == 0
    assert bar.drawn[-1] == (1.0, "deletion runs: 100 of 100")
    assert len(bar.drawn) < 101
    tell("none", 0, 0)
    assert bar.drawn[-1][0] == 0

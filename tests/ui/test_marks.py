import numpy as np

from seer.ui.marks import chosen_steps
from seer.ui.selection import Selection

STATES = np.array([5, 7, 5, 7, 2], dtype=np.int16)


def test_steps_of_a_state_a_transition_and_a_pattern():
    assert chosen_steps(STATES, Selection()) == []
    assert chosen_steps(STATES, Selection(state=7)) == [1, 3]
    assert chosen_steps(STATES, Selection(transition=(7, 2))) == [3, 4]
    assert chosen_steps(STATES, Selection(transition=(0, 5))) == [0]
    assert chosen_steps(STATES, Selection(pattern=(5, 7, 2))) == [2, 3, 4]
    assert chosen_steps(STATES, Selection(pattern=(5, 5))) == []
    assert chosen_steps(STATES[:0], Selection(state=7, transition=(0, 5), pattern=(5, 7))) == []

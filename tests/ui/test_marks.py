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
    assert chosen_steps(STATES, Selection(pattern=(5, 7), view={"collapse": "1"})) == [0, 1, 2, 3]
    assert chosen_steps(np.array([5, 5, 7, 7, 2]), Selection(pattern=(5, 7), view={"collapse": "1"})) == [0, 1, 2, 3]
    assert chosen_steps(STATES[:0], Selection(state=7, transition=(0, 5), pattern=(5, 7))) == []


def test_steps_of_words_and_of_words_read_at_the_end_of_a_pattern():
    token = np.array([10, 20, 10, 30, 20])
    assert chosen_steps(STATES, Selection(word="b"), token, (20,)) == [1, 4]
    assert chosen_steps(STATES, Selection(word="b a"), token, (20, 10)) == [1, 2]
    assert chosen_steps(STATES, Selection(pattern=(5, 7), word="b"), token, (20,)) == [0, 1]
    assert chosen_steps(STATES, Selection(pattern=(7,), word="a c"), token, (10, 30)) == [3]
    assert chosen_steps(STATES[:0], Selection(word="b"), token[:0], (20,)) == []

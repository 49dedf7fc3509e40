"""Studies of a model that is not stored: of its states and predictions alone, or of a module of one's own."""

from seer.recorded.file import StatesFile, read_states
from seer.recorded.rows import USUAL_SPLIT, corpus_of_rows
from seer.recorded.studies import study_of_module, study_of_states

__all__ = ["USUAL_SPLIT", "StatesFile", "corpus_of_rows", "read_states", "study_of_module", "study_of_states"]

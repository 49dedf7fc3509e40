"""seer: see and fix what recurrent text classifiers do."""

from seer.corpus import Corpus, load_corpus
from seer.errors import SeerError
from seer.study import Study

__all__ = ["Corpus", "SeerError", "Study", "load_corpus"]

"""Errors a person can mend. Every message says what was expected, what came, and what to do."""


class SeerError(Exception):
    """Base of all errors that are shown to a person as one sentence, never as a traceback."""


class DataError(SeerError):
    """The data set, a file or a text cannot be read or used as asked."""


class ModelError(SeerError):
    """A model, checkpoint or tokenizer does not fit."""


class StudyError(SeerError):
    """A study folder is missing, damaged, or of another version."""


class SettingError(SeerError):
    """A setting is out of its range or contradicts another."""


class JobError(SeerError):
    """A job cannot be started, recorded or stopped."""


class NotesError(SeerError):
    """The notes cannot be read or written, or a note or a file of notes is not as it should be."""


def shown(value: object, most: int = 80) -> str:
    """A value as an error sentence quotes it: in one line, and never longer than ``most`` characters and its length."""
    whole = repr(value)
    return whole if len(whole) <= most else f"{whole[:most].rstrip()} … ({len(whole):,} characters)"

"""What classes and functions a pickle names, read off its instructions: nothing of it is run."""

from __future__ import annotations

import io
import pickletools
from collections.abc import Iterator

_USUAL = ("torch._utils.", "torch.storage.", "collections.OrderedDict", "numpy.", "argparse.Namespace", "pathlib.")
"""What files of weights name; none of it is why one is refused."""


def named_classes(content: bytes) -> list[str]:
    """The unusual classes and functions that a pickle names, in their order, each once.

    Several pickles may follow one another, as in PyTorch's old format. A damaged one is read as far as that goes.
    """
    found: list[str] = []
    stream = io.BytesIO(content)
    try:
        while stream.tell() < len(content):
            for name in _names(stream):
                found.append(name)
    except (ValueError, IndexError, KeyError, OverflowError):
        pass  # the rest is damaged, or no pickle: what came before is what can be named
    return [name for name in dict.fromkeys(found) if not _usual(name)]


def _names(stream: io.BytesIO) -> Iterator[str]:
    """What the next pickle of a stream names."""
    strings: list[str] = []
    memory: dict[int, str] = {}
    for instruction, value, _ in pickletools.genops(stream):
        if instruction.name in ("GLOBAL", "INST"):
            yield str(value).replace(" ", ".")
        elif instruction.name == "STACK_GLOBAL":
            yield ".".join(strings[-2:])
        elif instruction.name == "MEMOIZE":
            memory[len(memory)] = strings[-1] if strings else ""
        elif instruction.name.endswith("GET") and isinstance(value, int):
            strings.append(memory.get(value, ""))
        elif isinstance(value, str):
            strings.append(value)


def _usual(name: str) -> bool:
    return name.startswith(_USUAL) or (name.startswith("torch.") and name.endswith("Storage"))

"""What classes and functions a pickle names, read off its instructions: nothing of it is run."""

from __future__ import annotations

import pickletools

_USUAL = ("torch._utils.", "torch.storage.", "collections.OrderedDict", "numpy.", "argparse.Namespace", "pathlib.")
"""What files of weights name; none of it is why one is refused."""


def named_classes(content: bytes) -> list[str]:
    """The unusual classes and functions that a pickle names, in their order, each once.

    A damaged pickle is read as far as that goes.
    """
    found: list[str] = []
    strings: list[str] = []
    memory: dict[int, str] = {}
    try:
        for instruction, value, _ in pickletools.genops(content):
            if instruction.name in ("GLOBAL", "INST"):
                found.append(str(value).replace(" ", "."))
            elif instruction.name == "STACK_GLOBAL":
                found.append(".".join(strings[-2:]))
            elif instruction.name == "MEMOIZE":
                memory[len(memory)] = strings[-1] if strings else ""
            elif instruction.name.endswith("GET") and isinstance(value, int):
                strings.append(memory.get(value, ""))
            elif isinstance(value, str):
                strings.append(value)
    except (ValueError, IndexError, KeyError, OverflowError):
        pass  # the rest is damaged: what came before is what can be named
    return [name for name in dict.fromkeys(found) if not _usual(name)]


def _usual(name: str) -> bool:
    return name.startswith(_USUAL) or (name.startswith("torch.") and name.endswith("Storage"))

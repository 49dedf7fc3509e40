"""Whether a process is there, and whether it is the same as before."""

from __future__ import annotations

import subprocess
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def birth(pid: int) -> str | None:
    """What tells a process from a later one of the same number: when it began; ``None`` when there is none alive."""
    stat = Path(f"/proc/{pid}/stat")
    if _BOOT.exists():
        try:
            # The name of the program stands in brackets and may hold anything.
            state, *rest = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if state in "ZX" else f"{_BOOT.read_text(encoding='ascii').strip()} {rest[18]}"
    found = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, began = found.stdout.strip().partition(" ")
    return None if not began or state.startswith("Z") else began.strip()

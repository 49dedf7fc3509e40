"""``python -m seer``."""

from seer.cli import main

main()

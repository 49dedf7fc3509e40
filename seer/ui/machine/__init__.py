"""The state machine and its patterns: graph, tables and panels."""

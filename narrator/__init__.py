"""«Ведущий»: hosts the party game Mafia at a real table. Importing it needs no device library."""

__version__ = "0.1.0"

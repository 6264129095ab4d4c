"""The protocol of a game: what a club keeps of an evening, made from the journal alone.

values: what it says; build: from moves to it; text: as text, JSON and table; files: which journal is meant.
Knows the game, its words and journals; no device and no loop.
"""

from narrator.protocol.build import protocols
from narrator.protocol.text import from_json, to_csv, to_json, to_text
from narrator.protocol.values import Protocol, ProtocolError

__all__ = ["Protocol", "ProtocolError", "from_json", "protocols", "to_csv", "to_json", "to_text"]

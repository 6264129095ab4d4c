"""Who a player is, and whose side he is on. Plain names; no rule may be decided here."""

from __future__ import annotations

from enum import StrEnum

Seat = int
"""A seat's number, 1…15."""


class Team(StrEnum):
    """A side that can win."""

    TOWN = "town"
    MAFIA = "mafia"
    MANIAC = "maniac"


class Role(StrEnum):
    """A card."""

    CIVILIAN = "civilian"
    SHERIFF = "sheriff"
    MAFIA = "mafia"
    DON = "don"
    MANIAC = "maniac"

    @property
    def team(self) -> Team:
        """The side this card plays for."""
        if self in (Role.MAFIA, Role.DON):
            return Team.MAFIA
        return Team.MANIAC if self is Role.MANIAC else Team.TOWN


class Host(StrEnum):
    """Who leads: a moderator with the box knowing the roles, a moderator who keeps them to himself, nobody."""

    FULL = "full"
    LIGHT = "light"
    NONE = "none"

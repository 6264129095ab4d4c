"""The speech timer by itself: speakers in turn, lamps, bells and a report; no game, no roles.

`plans` and `core` are pure values and functions, `words` says them, `report` writes the times down, `run` drives the
ports. Invariant: nothing here knows a ruleset or a seat's secret; of the game only its arithmetic of time is used.
"""

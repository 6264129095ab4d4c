"""The game as a function on values: `play(game, move, at)` gives a new game and events, or a typed refusal.

Nothing below this package may know a clock, chance, a thread, a file, a log line, a language or a device.
Time is data: `at` on a move, deadlines in the state. Chance is data: a deal is a move that carries its result.
"""

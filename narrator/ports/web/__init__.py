"""The web pages: a table for everybody, a moderator's page, a page for each player, and a picture of the box.

A thread with a server of its own gets immutable values and puts signals into the inbox; it never sees the game.
Invariant: what a page may show or do is decided by `rights` and `guard` alone, before anything else looks at a request.
"""

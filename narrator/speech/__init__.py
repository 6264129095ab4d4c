"""Between the game and the devices: words for events, lamps for states, moves for what is heard and pressed.

May know the game and the messages; may not know clocks, threads, files or devices.
"""

"""How well commands are heard and how seldom anything else is taken for one: one table for all of it.

    python -m tests.bench.hearing [--quick] [--help]    faster than real time, from memory
    python -m tests.bench.hearing.paced                 as fast as people speak, through a microphone

Needs the extras `compact` and `bench`, espeak-ng and, where they can be had, RHVoice and festival. Nothing here is run
by the tests.
"""

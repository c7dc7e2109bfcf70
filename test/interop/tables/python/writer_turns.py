"""
The turns of another writer of the table, until its input ends: NAME PLACE FIRST-ID. What it prints, a line each: `begins FROM TO`
before it appends rows with these ids, `done FROM TO` when they are there, `compacted FILES`, `expired SNAPSHOTS`,
`failed WHAT WHY`.
"""

import select
import sys
from datetime import timedelta

place, next_id = sys.argv[1], int(sys.argv[2])
rows_at_once = 5
kept = timedelta(seconds=20)


def say(*words):
    print(*words, flush=True)


def append_by(write):
    """Appends rows by a function that takes their ids."""
    global next_id
    ids = range(next_id, next_id - rows_at_once, -1)
    next_id -= rows_at_once
    say("begins", ids[0], ids[-1])
    write(ids)
    say("done", ids[0], ids[-1])


def take_turns(works):
    turn = 0
    while not select.select([sys.stdin], [], [], 0.3)[0]:
        work = works[turn % len(works)]
        turn += 1
        try:
            work()
        except Exception as error:
            say("failed", work.__name__, type(error).__name__, " ".join(str(error).split())[:300])

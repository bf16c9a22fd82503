"""Collect what answers leave in cycles between them, while the browser draws, and not in the middle of one.

An answer makes some ten thousand objects and leaves about a thousand in cycles. Python looks for such whenever the
objects it has made outnumber those it has freed by a threshold. That falls into the middle of an answer, where it walks
through everything that the answer holds: 4 to 9 ms for one in ten. After the answer almost nothing of it is left.
"""

from __future__ import annotations

import gc
from typing import Final

#: Objects made and not freed after which Python collects by itself: more than an answer has at any time.
YOUNG_OBJECTS: Final = 50_000
#: Collections of the youngest generation before one of the second, and of that one before one of all: by then most
#: answers are over, so that few objects grow old enough for a full collection, which comes after some thousands.
YOUNG_COLLECTIONS: Final = 10
OLDER_COLLECTIONS: Final = 100
#: Objects that are worth a collection after an answer.
LEFT_OBJECTS: Final = 2_000


def begin() -> None:
    """Keep what is there for good, and collect from now on.

    What previews keep for the next answer are some hundred thousand objects, none of them in a cycle. Python walked
    through all of them whenever they had grown by a quarter: 0.3 s in which nobody was answered.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_COLLECTIONS, OLDER_COLLECTIONS)


def collect_after_answer() -> None:
    """Collect the youngest generation, or the two youngest, where answers have left enough."""
    young, collections, _ = gc.get_count()
    if young >= LEFT_OBJECTS:
        gc.collect(1 if collections >= YOUNG_COLLECTIONS else 0)

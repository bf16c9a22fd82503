"""A least-recently-used cache kept in the process, for values that previews read or compute."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable


class LruCache[Value]:
    """The `most` values used last, by key, and earlier ones as long as all together weigh no more than `most_weight`.

    So a few large values stay, and of small ones as many as many people need at once. Shared by the threads of one
    process. Two threads that miss at once both make the value; the later one stays.
    """

    def __init__(self, most: int, *, most_weight: int = 0) -> None:
        self._most = most
        self._most_weight = most_weight
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value], *, weight: int = 1) -> Value:
        """The value under a key, made where it is not kept; `weight` is in the unit of `most_weight`."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._values[key] = value, weight
            self._weight += weight - before
            while len(self._values) > self._most and self._weight > self._most_weight:
                _, (_, gone) = self._values.popitem(last=False)
                self._weight -= gone
        return value

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._values.clear()
            self._weight = 0

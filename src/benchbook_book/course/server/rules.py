"""The limits of the server; all numbers are ours, and the guide says how to change those that one may."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from benchbook_book.course.challenge import SubmissionLimits

MIB = 1 << 20


@dataclass(frozen=True)
class Rules:
    """What a server allows.

    Args:
        upload: bytes of one request. disk: bytes of all submissions together. each: bytes of those of a participant.
        seconds, memory: what scoring one submission may take, in a process of its own; bytes for memory.
        workers: how many processes score.
        waiting: how many submissions of one participant may wait to be scored.
        logins: how many wrong tokens a minute one address may send. uploads: submissions a minute and participant.
        requests: requests a minute and address; a class behind one router is one address.
        secure: whether the browser talks TLS, to us or to a proxy before us.
    """

    upload: int = 16 * MIB
    disk: int = 4096 * MIB
    each: int = 256 * MIB
    seconds: int = 120
    memory: int = 3072 * MIB
    workers: int = 1
    waiting: int = 5
    logins: int = 20
    uploads: int = 12
    requests: int = 3000
    secure: bool = False

    @property
    def limits(self) -> SubmissionLimits:
        """What is read of a submission at most."""
        return SubmissionLimits(
            packed=self.upload, file=self.upload, total=4 * self.upload, kept=200
        )


@dataclass
class Meter:
    """How often something happened in the last minute, by key; the keys that were seen least lately are forgotten."""

    most: int
    keys: int = 20_000
    _seen: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, key: str) -> bool:
        """Spend one; False, and nothing is spent, when there is none left."""
        with self._lock:
            level = self._level(key)
            if level > self.most - 1:
                return False
            self._seen[key] = (level + 1, time.monotonic())
            self._seen.move_to_end(key)
            if len(self._seen) > self.keys:
                self._seen.popitem(last=False)
            return True

    def _level(self, key: str) -> float:
        """A bucket that leaks ``most`` a minute."""
        level, at = self._seen.get(key, (0.0, 0.0))
        return max(0.0, level - (time.monotonic() - at) * self.most / 60)

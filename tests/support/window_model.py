"""A slow, independent model of keyed event-time windows as Flink has them, for comparison with the tool.

`fire` takes records in order of arrival and answers which windows fire with which records, and which records are late. Nothing here
is clever: every open window is looked at whenever something may be due.

    fired, late, in_no_window = fire(records, Sliding(10, 5), bound=2, lateness=0)
"""
import math
import statistics
from dataclasses import dataclass, field


@dataclass
class Record:
    at: int  # in ticks
    key: object
    value: float = 0.0
    weight: float = 0.0
    arrival: int = 0


@dataclass
class Sliding:
    size: int
    slide: int
    offset: int = 0

    def starts(self, at):
        """Newest window first."""
        start = at - (at - self.offset) % self.slide
        while start > at - self.size:
            yield start, start + self.size
            start -= self.slide


def Tumbling(size, offset=0):
    return Sliding(size, size, offset)


@dataclass
class Session:
    gap: int

    def starts(self, at):
        yield at, at + self.gap


@dataclass
class Window:
    key: object
    start: int
    end: int
    records: list = field(default_factory=list)
    fired: bool = False  # at its end; late records fire it again

    @property
    def last(self):
        return self.end - 1


class Operator:
    """One window operator. `fired` holds (start, end, key, records), in order."""

    def __init__(self, assigner, lateness):
        self.assigner, self.lateness = assigner, lateness
        self.windows = {}  # (key, start, end) -> Window
        self.watermark = -math.inf
        self.next_due = math.inf
        self.fired, self.late, self.in_no_window = [], [], []

    def gone(self, window):
        return window.last + self.lateness <= self.watermark

    def emit(self, window):
        self.fired.append((window.start, window.end, window.key, list(window.records)))

    def merged(self, window):
        """The session that `window` and all live sessions it overlaps or touches become."""
        of_key = [w for w in self.windows.values() if w.key == window.key]
        for other in [w for w in of_key if w.start <= window.end and window.start <= w.end]:
            del self.windows[other.key, other.start, other.end]
            window = Window(window.key, min(window.start, other.start), max(window.end, other.end),
                            other.records + window.records,
                            False)
        window.records.sort(key=lambda r: r.arrival)
        return window

    def on_record(self, record):
        taken = assigned = False
        for start, end in self.assigner.starts(record.at):
            assigned = True
            window = self.windows.get((record.key, start, end)) or Window(record.key, start, end)
            if isinstance(self.assigner, Session):
                window = self.merged(Window(record.key, start, end))
            if self.gone(window):
                continue
            taken = True
            window.records.append(record)
            self.windows[window.key, window.start, window.end] = window
            if window.last <= self.watermark:
                window.fired = True
                self.emit(window)
            self.next_due = min(self.next_due, window.last + (self.lateness if window.fired else 0))
        if not taken:
            is_late = record.at + self.lateness <= self.watermark
            (self.late if is_late or assigned else self.in_no_window).append(record)

    def on_watermark(self, watermark):
        self.watermark = watermark
        if watermark < self.next_due:
            return
        due = [w for w in self.windows.values() if not w.fired and w.last <= watermark]
        for window in sorted(due, key=lambda w: (w.end, w.start, w.records[0].arrival)):
            window.fired = True
            self.emit(window)
        self.windows = {name: w for name, w in self.windows.items() if not self.gone(w)}
        self.next_due = min((w.last + (self.lateness if w.fired else 0) for w in self.windows.values()), default=math.inf)


def fire(records, assigner, bound=0, lateness=0):
    operator = Operator(assigner, lateness)
    largest = -math.inf
    for arrival, record in enumerate(records):
        record.arrival = arrival
        operator.on_record(record)
        if record.at > largest:
            largest = record.at
            operator.on_watermark(largest - bound - 1)
    operator.on_watermark(math.inf)
    return operator.fired, operator.late, operator.in_no_window


def fire_counts(records, n):
    """Count windows: (smallest time, largest time, key, records) for every n records of a key, and how many are left."""
    held, fired = {}, []
    for record in records:
        rows = held.setdefault(record.key, [])
        rows.append(record)
        if len(rows) == n:
            fired.append((min(r.at for r in rows), max(r.at for r in rows), record.key, held.pop(record.key)))
    return fired, sum(map(len, held.values()))


def nearest_rank(values, percent):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


AGGREGATES = {"count": len,
    "sum": lambda rows: math.fsum(r.value for r in rows),
    "avg": lambda rows: math.fsum(r.value for r in rows) / len(rows),
    "min": lambda rows: min(r.value for r in rows),
    "max": lambda rows: max(r.value for r in rows),
    "first": lambda rows: rows[0].value,
    "last": lambda rows: rows[-1].value,
    "open": lambda rows: min(rows, key=lambda r: r.at).value,
    "close": lambda rows: max(reversed(rows), key=lambda r: r.at).value,
    "vwap": lambda rows: math.fsum(r.value * r.weight for r in rows) / math.fsum(r.weight for r in rows),
    "stddev": lambda rows: statistics.stdev([r.value for r in rows]) if len(rows) > 1 else None,
}


def aggregate(name, rows):
    if name in AGGREGATES:
        return AGGREGATES[name](rows)
    return nearest_rank([r.value for r in rows], float(name[1:]))

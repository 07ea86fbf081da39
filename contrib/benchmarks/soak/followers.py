"""Who follows the daemon: six lists, kept by deltas as a program's are, and two subscribers to events."""

import base64
import os
import re
import sys
import time
from collections import Counter, deque

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "clients"))
from pickerd import Client, Event, EventFeed, Interrupted, LiveList, Lost, Query  # noqa: E402

PATIENCE = 10
#: Seconds, of times that are floating-point numbers.
ROUNDING = 2e-6


class Difference(Exception):
    """What the daemon says is not what is. The words are names and keys that it is about."""

    def __init__(self, message, words=()):
        super().__init__(message)
        self.words = set(words)


def some(what, found):
    """A line about the first of many."""
    found = list(found)
    return f"{what} ({len(found)}): " + "; ".join(map(ascii, found[:4])) if found else ""


class Row:
    """A document as the daemon tells it, with what it is sorted by."""

    def __init__(self, item, disk):
        self.item = item
        self.path = os.fsdecode(item.absolute_path)
        self.size, self.modified, _ = disk.get(self.path, (None, None, None))
        word, number, rest = re.fullmatch(r"([a-z]+)([0-9]+)(.*)", os.path.basename(self.path), re.DOTALL).groups()
        relative = os.fsencode(os.path.relpath(self.path, item.root))
        self.keys = {"name": (word, int(number), rest), "modified": self.modified, "size": self.size,
                     "type": item.raw.get("type", ""), "path": (relative, item.root)}


def ordered(rows, sort):
    """The rows in the order of a query, which the documents' keys decide at last."""
    terms = [sort] if isinstance(sort, str) else list(sort)
    if terms[-1] == "date":
        terms[-1:] = ["-modified", "name"]
    rows = sorted(rows, key=lambda row: row.item.key)
    for term in reversed(terms):
        rows.sort(key=lambda row: row.keys[term.lstrip("-")], reverse=term.startswith("-"))
    return rows


class Shown:
    """An open list, and the rows that it should have."""

    def __init__(self, path, query, keep):
        self.list = LiveList(query, path)
        self.keep = keep
        self.resets = 0

    def read(self, timeout):
        change = self.list.read(timeout)
        if change is not None and change.kind == "reset":
            self.resets += 1
        return change

    def expected(self, rows):
        """The length of the whole list, and the items of the window; None for what is not known."""
        query = self.list.query
        items = [row.item.raw for row in ordered(filter(self.keep, rows), query.sort)]
        if not query.search:
            items.insert(0, {"kind": "new", "key": "new"})
        start = query.start
        if query.anchor is not None:
            at = next((at for at, item in enumerate(items) if item["key"] == query.anchor), None)
            if at is None:
                return len(items), None
            start = max(0, at - query.offset)
        return len(items), items[start:None if query.count is None else start + query.count]

    def follow(self, rows):
        """Reads until the list is what it should be."""
        total, items = self.expected(rows)
        deadline = time.monotonic() + PATIENCE
        while True:
            if self.list.reopened:
                raise Difference(f"the list {self.list.query} was sent what does not fit its rows")
            is_right = self.list.total == total and (items is None or [item.raw for item in self.list.items] == items)
            if is_right and self.list.complete:
                # What waits now belongs to later states, or repeats this one.
                if self.read(0) is None:
                    return
            elif self.read(max(0, deadline - time.monotonic())) is None:
                raise Difference(f"the list {self.list.query} has {len(self.list.items)} rows of {self.list.total}, "
                                 f"complete: {self.list.complete}; should have {len(items or ())} of {total}; "
                                 + self._first_difference(items or []))

    def _first_difference(self, items):
        found = [item.raw for item in self.list.items]
        for at, (have, want) in enumerate(zip(found + [None] * len(items), items + [None] * len(found))):
            if have != want:
                return f"row {at} is {have}, and should be {want}"
        return "the rows are right"


class Follower:
    """A subscriber, who keeps an account of all documents by events alone."""

    def __init__(self, path, topics):
        self.feed = EventFeed(topics, path=path)
        self.is_everything = "*" in topics
        #: The number of the last event, and how many of those to come were told as lost.
        self.last, self.gaps = None, 0
        #: Paths by key; None until it is known where to begin.
        self.documents = None
        #: The documents of which something was told since the last check, and the count of each topic.
        self.told, self.topics = set(), {}
        self.latest = deque(maxlen=5000)
        self.is_lost = False

    def read_until(self, marker):
        """Reads all events before the marker."""
        self.told.clear()
        while True:
            message = self.feed.read(PATIENCE)
            if isinstance(message, Event):
                if self.is_everything and self.last is not None:
                    self.gaps -= message.seq - self.last - 1
                    if self.gaps < 0:
                        raise Difference(f"event {message.seq} follows {self.last}, and nothing was told as lost")
                self.last = message.seq
                if message.topic == "app.soak.done" and message.data == marker:
                    return
                self.topics[message.topic] = self.topics.get(message.topic, 0) + 1
                if message.topic.startswith("documents."):
                    self._take(message)
            elif isinstance(message, Lost):
                self.is_lost = True
                self.gaps = message.gaps
                self.last = int(message.position.rpartition(":")[2])
            elif not isinstance(message, Interrupted):
                raise Difference(f"the marker {marker} does not come")

    def _take(self, event):
        data = event.data
        key, path = data["key"], _path(data, "root", "path")
        self.latest.append((event.time, event.topic, key, path, _path(data, "fromRoot", "from")))
        self.told.add(key)
        if self.documents is None or self.is_lost:
            return
        before = self.documents.get(key)
        expected = {"documents.added": None, "documents.moved": _path(data, "fromRoot", "from"),
                    }.get(event.topic, path)
        if before != expected:
            raise Difference(f"{event.topic} of {data} comes where the document was at {before!r}")
        if event.topic == "documents.removed":
            del self.documents[key]
        else:
            self.documents[key] = path

    def check(self, documents):
        if self.documents is None or self.is_lost:
            self.documents, self.is_lost = dict(documents), False
        elif self.documents != documents:
            raise Difference("what events tell is not what is listed; "
                             + some("only by events", self.documents.items() - documents.items()) + " "
                             + some("only listed", documents.items() - self.documents.items()))


def _path(data, root, name):
    if name not in data:
        return None
    relative = base64.b64decode(data[f"{name}B64"]) if f"{name}B64" in data else os.fsencode(data[name])
    return os.fsdecode(os.path.join(os.fsencode(data.get(root, data["root"])), relative))


class Followers:
    """All of them, and what they are compared with."""

    def __init__(self, path, rng):
        self.rng = rng
        self.client = Client(path, timeout=120)
        has = lambda text: lambda row: text in os.path.basename(row.path)  # noqa: E731
        self.lists = [
            Shown(path, Query(sort=["path"]), lambda row: True),
            Shown(path, Query(sort="name", search="re"), has("re")),
            Shown(path, Query(sort=["-size", "path"], where=["size", "gt", 600], count=25), lambda row: row.size > 600),
            Shown(path, Query(sort="date", count=40), lambda row: True),
            Shown(path, Query(sort=["type", "-name"], where=["suffix", ["md", "txt"]], start=7, count=30),
                  lambda row: row.path.endswith((".md", ".txt"))),
            Shown(path, Query(sort=["modified", "name"], search="1", match="words"), has("1"))]
        # The last list is that of somebody who types and scrolls.
        self.changing = self.lists[-1]
        self.followers = [Follower(path, ["*"]), Follower(path, ["documents.*", "app.soak.*"])]
        for each in self.followers:
            each.feed.read(timeout=0)
        self.marks = 0
        self.keys = {}
        #: Sizes and times of the documents at the last check.
        self.before = None

    def check(self, world, within=60):
        """Compares all that the daemon says with the disk, and the keys with what they should be."""
        self.client.sync(within)
        items = [item for item in self.client.items(Query(sort=["path"])) if not item.is_new]
        world.look()
        rows = [Row(item, world.disk) for item in items]
        self.keys = {row.path: row.item.key for row in rows}
        _compare(rows, world.disk)
        if len(set(self.keys.values())) != len(rows):
            raise Difference("two documents have one key")
        if wrong := world.wrong_keys(self.keys):
            raise Difference(some("other keys", ((path, world.keys[path], self.keys[path]) for path in wrong)),
                             {word for path in wrong for word in (path, world.keys[path], self.keys[path])})
        for each in self.lists:
            each.follow(rows)
        self._check_events(rows)
        world.accept(self.keys)
        self._type_and_scroll(rows)

    def _check_events(self, rows):
        self.marks += 1
        self.client.publish("app.soak.done", self.marks)
        now = {row.item.key: (row.path, row.size, row.modified) for row in rows}
        for each in self.followers:
            each.read_until(self.marks)
            untold = [] if self.before is None or each.is_lost else [
                found for key, found in now.items() if found != self.before.get(key) and key not in each.told]
            if untold:
                raise Difference(some("no event tells of a change", untold))
            each.check({key: path for key, (path, *_) in now.items()})
        self.before = now

    def _type_and_scroll(self, rows):
        shown = self.changing
        query = shown.list.query
        is_gone = query.anchor is not None and query.anchor not in self.keys.values()
        if not is_gone and self.rng.random() > 0.1:
            return
        text = self.rng.choice(["", "1", "12", "re", "n", "2"])
        shown.keep = lambda row: text in os.path.basename(row.path)
        found = [row.item.key for row in rows if shown.keep(row)]
        place = {"start": self.rng.randint(0, 60), "count": self.rng.choice([None, 10, 50])}
        if found and self.rng.random() < 0.5:
            place = {"anchor": self.rng.choice(sorted(found)), "offset": self.rng.randint(0, 9), "count": 20}
        sort = self.rng.choice([["modified", "name"], "name", ["-size", "name"], ["-path"]])
        shown.list.update(Query(sort=sort, search=text or None, match="words", **place))
        shown.follow(rows)

    def forget(self):
        """The daemon was started anew and knows no key: what events tell begins again."""
        self.before = None
        for each in self.followers:
            each.documents = None

    def history(self, words):
        """The latest events about these paths and keys, with their times."""
        follower = self.followers[0]
        while isinstance(event := follower.feed.read(1), Event):
            if event.topic.startswith("documents."):
                follower.documents = None
                follower._take(event)
        found = [event for event in follower.latest if words & set(event[1:])][-12:]
        return [f"{(event[0] - found[-1][0]) * 1000:10.1f} ms  {event[1:]!a}" for event in found]

    def topics(self, name):
        return self.followers[0].topics.get(name, 0)


def _compare(rows, disk):
    paths = [row.path for row in rows]
    others = [f"{row.path}: size {row.item.size}, time {row.item.modified}; on disk {row.size}, {row.modified / 1e9}"
              for row in rows if row.path in disk
              and (row.item.size != row.size or abs(row.item.modified - row.modified / 1e9) > ROUNDING)]
    said = [some("listed twice", sorted((Counter(paths) - Counter(set(paths))).elements())),
            some("not listed", sorted(set(disk) - set(paths))),
            some("listed, but not there", sorted(set(paths) - set(disk))), some("as it was", others)]
    if any(said):
        raise Difference(" ".join(filter(None, said)))

"""The measurements: each lets one contestant do the same work once, and returns figures by name."""

import dataclasses
import json
import os
import random
import statistics
import subprocess
import time

from contestants import (
    CouldNotRun, Fzf, Inotifywait, Mosquitto, Nats, Nobody, Pickerd, Plocate, Redis, Relay, Ripgrep,
    SettlingWatchman, StoringRelay, Watchman)


@dataclasses.dataclass
class Figure:
    """`bounds` says by peer how many times its figure ours may be at the most, or has to be at least if more is
    better; None only shows the ratio."""

    name: str
    unit: str
    bounds: dict
    more_is_better: bool = False


class Measurement:
    name = ""
    peers = []

    def __init__(self, options, tools, place):
        self.options, self.tools, self.place = options, tools, place
        self.faults = set()
        self.left_out = set()
        self.figures = []

    def measure(self, contestant, number):
        """The figures of one contestant, which is not started yet, in the round with this number."""
        raise NotImplementedError

    def load(self, *arguments, **options):
        """The final output of a load program."""
        ended = subprocess.run(
            [str(each) for each in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
            check=False, **options)
        if ended.returncode != 0:
            raise CouldNotRun(ended.stderr.decode(errors="replace").strip() or f"{ended.returncode}")
        return json.loads(ended.stdout)

    def folder(self, name):
        path = os.path.join(self.place, name)
        os.makedirs(path)
        return path


class RoundTrips(Measurement):
    """One request, one answer: the given number of times, and a fifth of that for much slower contestants."""

    name = "roundtrips"
    peers = [Redis, Watchman]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.empty = self.folder("roundtrips")
        self.figures = [
            Figure("request, 1 connection: half within", "µs", {"redis": 1.3, "watchman": 0.9}),
            Figure("request, 1 connection: 99 of 100 within", "µs", {"redis": 1.5, "watchman": None}),
            Figure("requests, 50 connections", "/s", {"redis": 0.7, "watchman": 1.5}, True),
        ]

    def measure(self, contestant, number):
        requests = self.options.requests
        contestant.start(self.empty if isinstance(contestant, Pickerd) else None)
        ask = lambda connections: self.load(
            self.tools["ask"], contestant.address, connections, requests, contestant.request.hex())
        one, many = ask(1), ask(50)
        return dict(zip([each.name for each in self.figures], [one["half"], one["most"], many["perSecond"]]))


class FanOut(Measurement):
    """Events of 200 bytes to 1, 10 and 100 subscribers: as many as fit, and a thousand a second."""

    name = "fanout"
    peers = [Redis, Mosquitto, Nats]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.empty = self.folder("fanout")
        for count, share in ((1, 0.3), (10, 0.5), (100, 0.5)):
            self.figures += [
                Figure(f"events to {count}, a flood", "/s", {"redis": share, "mosquitto": 3, "nats": None}, True),
                Figure(f"events to {count}, 1,000/s: half within", "µs",
                       {"redis": 1.5, "mosquitto": None, "nats": None}),
                Figure(f"events to {count}, 1,000/s: 99 of 100 within", "µs",
                       {"redis": 1.5, "mosquitto": None, "nats": None}),
            ]

    def measure(self, contestant, number):
        contestant.start(self.empty if isinstance(contestant, Pickerd) else None)
        broker = contestant.broker()
        words = [broker.subscribe.hex(), broker.subscribed, broker.greeting.hex(), broker.greeted,
                 broker.before.hex(), broker.after.hex()]
        values = []
        for count in (1, 10, 100):
            flood = self.load(self.tools["fan"], contestant.address, count,
                              max(self.options.deliveries // count, 1000), 0, *words)
            paced = self.load(self.tools["fan"], contestant.address, count, self.options.paced, 1000, *words)
            for each in (flood, paced):
                if each["delivered"] != each["expected"]:
                    self.faults.add(f"{contestant.name}, {count} subscribers: {each['delivered']} of "
                                    f"{each['expected']} events were delivered")
            values += [flood["perSecond"], paced["half"], paced["most"]]
        return dict(zip([each.name for each in self.figures], values))


def source(contestant, root):
    """The load program's arguments for a contestant, and its standard input."""
    if contestant.output is not None:
        return ["pipe"], contestant.output
    greeting, answer = contestant.changes(root)
    return [contestant.address, greeting.hex(), answer], None


class Changes(Measurement):
    """Files created, written, renamed and removed, 200 a second, until a subscriber has read of each."""

    name = "changes"
    peers = [Relay, StoringRelay, Inotifywait, Watchman]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.figures = [
            Figure("a change is told: half within", "µs",
                   {"relay": 2, "disk relay": None, "inotifywait": None, "watchman": 0.3}),
            Figure("a change is told: 99 of 100 within", "µs",
                   {"relay": 3, "disk relay": None, "inotifywait": None, "watchman": None}),
            Figure("processor time of a change", "µs",
                   {"relay": 2, "disk relay": None, "inotifywait": None, "watchman": None}),
        ]

    def measure(self, contestant, number):
        root = self.folder(f"changes-{contestant.name}-{number}")
        count = self.options.changes
        subprocess.run([self.tools["changes"], "prepare", root, str(count)], check=True)
        contestant.start(root)
        words, stream = source(contestant, root)
        before = contestant.processor_time()
        found = self.load(self.tools["changes"], "paced", root, count, 200, *words, stdin=stream)
        spent = (contestant.processor_time() - before) / count * 1e6
        if found["told"] != count:
            self.faults.add(f"{contestant.name}: {found['told']} of {count} changes were told")
        return dict(zip([each.name for each in self.figures], [found["half"], found["most"], spent]))


class Bursts(Measurement):
    """Files created in ten folders, then removed, as fast as can be; and with the watcher stopped meanwhile, so
    that the kernel forgets what it would have told."""

    name = "bursts"
    peers = [Inotifywait, Nobody, SettlingWatchman]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as limit:
            overflows = self.options.files > int(limit.read())
        self.cases = [False, True] if overflows else [False]
        if not overflows:
            self.left_out.add(f"bursts: {self.options.files} files overflow no queue of the kernel")
        for stopped in self.cases:
            for what in ("created", "removed"):
                name = self.title(what, stopped)
                bound = 0.4 if stopped else 1
                if not stopped:
                    # What the kernel notes for a watcher takes its time, whoever that is.
                    self.figures.append(
                        Figure(f"{name} within", "ms", {"nobody": 1.2, "inotifywait": None, "watchman": None}))
                self.figures += [
                    Figure(f"{name}: the count is right after", "ms", {"watchman": bound}),
                    Figure(f"{name}: all are told after", "ms", {"watchman": bound, "inotifywait": None}),
                    Figure(f"{name}: told of", "", {"watchman": None, "inotifywait": None}, True),
                ]

    def title(self, what, stopped):
        return f"{self.options.files} {what}{', queue overflowed' if stopped else ''}"

    def measure(self, contestant, number):
        values = {}
        for stopped in self.cases:
            if stopped and contestant.name == Nobody.name:
                continue
            # Each with a separate start: an overflow may leave traces.
            with type(contestant)(self.place, self.tools) as fresh:
                values |= self.burst(fresh, number, stopped)
        return values

    def burst(self, contestant, number, stopped):
        root = self.folder(f"burst-{contestant.name}-{number}-{int(stopped)}")
        for index in range(10):
            os.mkdir(os.path.join(root, str(index)))
        contestant.start(root)
        values = {}
        for what, word in (("created", "create"), ("removed", "delete")):
            name, count = self.title(what, stopped), self.options.files
            words, stream = source(contestant, root)
            pid = contestant.process.pid if stopped else 0
            process = subprocess.Popen(
                [self.tools["changes"], word, root, str(count), str(pid), *words], stdin=stream,
                stdout=subprocess.PIPE)
            with process:
                over = process.stdout.readline().split()
                if len(over) == 2 and hasattr(contestant, "count"):
                    left = contestant.count()
                    values[f"{name}: the count is right after"] = (time.monotonic_ns() - int(over[1])) / 1e6
                    if left != (count if what == "created" else 0):
                        self.faults.add(f"{contestant.name}, {name}: {left} files are counted")
                found = process.stdout.read()
            if process.returncode != 0:
                raise CouldNotRun("the listener failed")
            found = json.loads(found)
            values[f"{name} within"] = found["took"]
            if contestant.name == Nobody.name:
                continue
            values[f"{name}: told of"] = found["told"]
            if found["told"] == count:
                values[f"{name}: all are told after"] = found["behind"]
            elif isinstance(contestant, Pickerd):
                self.faults.add(f"{contestant.name}, {name}: {found['told']} were told of")
        return values


class Tree(Measurement):
    """A tree of files: from the start until all are listed, the memory that takes, and searches in their names.

    A word is searched once only, and no two rounds have one in common: who keeps what was found has no use of it."""

    name = "tree"
    peers = [Watchman, Plocate, Ripgrep, Fzf]

    def __init__(self, *arguments):
        super().__init__(*arguments)
        size = f"{self.options.documents} files"
        self.scan, self.memory, self.search = (
            f"{size}, start until listed", f"{size}, memory", f"{size}, the first 100 of a search")
        self.figures = [
            Figure(self.scan, "ms", {"watchman": 0.3, "plocate": None}),
            Figure(self.memory, "MB", {"watchman": 0.5}),
            Figure(self.search, "ms", {"ripgrep": 0.9, "watchman": 0.1, "fzf": 0.07, "plocate": 2}),
        ]
        self.root = self.folder("tree")
        make_tree(self.root, self.options.documents, self.tools["names"])
        self.hits = {}

    def measure(self, contestant, number):
        start = time.monotonic()
        contestant.start(self.root)
        values = {}
        if self.scan and contestant.name in ("pickerd", "watchman", "plocate"):
            values[self.scan] = (time.monotonic() - start) * 1e3
        if contestant.process is not None:
            values[self.memory] = contestant.memory()
            if contestant.count() != self.options.documents:
                self.faults.add(f"{contestant.name} lists {contestant.count()} files")
        # The first search may do one-time work.
        contestant.search("nothing has this name", 100)
        times = []
        for word in SEARCHES[3 * number % len(SEARCHES):][:3]:
            start = time.monotonic()
            _, total = contestant.search(word, 100)
            times.append((time.monotonic() - start) * 1e3)
            if contestant.name != "plocate":  # which stops at 100
                if self.hits.setdefault(word, total) != total:
                    self.faults.add(f"'{word}' is in {total} names by {contestant.name}, and in "
                                    f"{self.hits[word]} by another")
        values[self.search] = statistics.median(times)
        return values


WORDS = """letter invoice garden kitchen winter summer report budget meeting notes draft contract offer journey
ticket recipe lesson thesis chapter survey figures poster sketch wedding birthday lease policy agenda memo
article review order quote salary workshop course exam physics biology history music score lyrics backup
archive form passport warranty roadmap Über Café Škoda Москва 東京 naïve""".split()
SEARCHES = """invoice gard winter repo lett budg meeti notes contr journ tick recip thesis chap surv
poster sket wedd polic agend memo artic quot salar works exam physic biol histor music lyric backu
passp warran roadm kitch summ draft offer lesso birthd lease""".split()


def make_tree(root, count, names):
    """Files in folders of a hundred, those in folders of a hundred again. Same names each time."""
    random_words = random.Random(20)
    with open(names, "w", encoding="utf-8") as list_of_names:
        for index in range(count):
            if index % 100 == 0:
                folder = os.path.join(root, f"part {index // 10_000}", f"{random_words.choice(WORDS)} {index // 100}")
                os.makedirs(folder)
            words = random_words.choices(WORDS, k=2 + index % 3)
            name = f"{random_words.choice(' _-').join(words)} {index}.{random_words.choice(['pdf', 'md', 'jpg', 'odt'])}"
            list_of_names.write(name + "\n")
            number = os.open(os.path.join(folder, name), os.O_CREAT | os.O_WRONLY, 0o644)
            os.ftruncate(number, random_words.randrange(10_000))
            os.close(number)


MEASUREMENTS = [RoundTrips, FanOut, Changes, Bursts, Tree]

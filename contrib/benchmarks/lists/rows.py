"""The rows of the table: what each measures, its bound, and how it is measured.

A group of rows is a function that is given the bench. It runs its steps one after another; `bench.measure` runs one
and notes its value. What a group needs, it makes itself, so that any one may be run alone."""

import collections.abc
import dataclasses
import os
import random
import select
import shutil
import statistics
import time

from daemon import QUIET, WINDOW, CannotRun, Readers, processor_ms
from tree import WORDS, make_files


@dataclasses.dataclass
class Row:
    """`bound` is the most that is right, or the least with `at_least`; `ping` is the most, in ms, that another client
    may have to wait meanwhile. `smaller` are bounds for trees that are measured for the growth, by their files."""

    name: str
    what: str
    unit: str = "ms"
    bound: float | None = None
    at_least: bool = False
    ping: float | None = None
    smaller: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Group:
    rows: list
    run: collections.abc.Callable
    # Whether it begins with a daemon of which no list has been asked.
    is_fresh: bool = False


# MARK: Start

def measure_start(bench):
    crawl = bench.tool("crawl")
    crawls, starts = [], []
    for _ in range(3):
        bench.limit.begin()
        found = bench.run_json(crawl, bench.tree.root)
        if found["files"] != bench.tree.count:
            bench.fault(f"the C crawl finds {found['files']} files, not {bench.tree.count}")
        crawls.append(found["ms"])
        starts.append(bench.restart())
    ours, theirs = statistics.median(starts), statistics.median(crawls)
    note = f"{ours:.0f} ms beside {theirs:.0f} ms, medians of 3"
    with open("/proc/sys/fs/inotify/max_user_watches", encoding="ascii") as file:
        if int(file.read()) < 2 * bench.tree.folders:
            note += "; the kernel may have too few watches for these folders"
    bench.add("start.ready", ours / theirs, note=note)
    bench.add("resident.scan", bench.daemon.memory_at_rest(), note=f"the C crawl: {found['resident']:.0f} MB")


START = Group([
    Row("start.ready", "start until `sync` is answered, to a C crawl with watches", "x", 1.5),
    Row("resident.scan", "resident after the scan", "MB", 140, smaller={100_000: 30}),
], measure_start)


def measure_restart(bench):
    # By turns, because the machine is not always as fast.
    scans, serves, verifications = [], [], []
    for _ in range(3):
        scans.append(bench.restart())
        bench.daemon.wait_until_stored()
        verified = bench.restart(goes_on=True)
        served = bench.daemon.served_ms
        if bench.tree.is_plain and bench.daemon.total != bench.tree.count + 1:
            bench.fault(f"{bench.daemon.total} rows are served at once, not {bench.tree.count + 1}")
        serves.append(served)
        verifications.append(verified - served)
    scan = statistics.median(scans)
    bench.add("restart.serve", statistics.median(serves), note=f"medians of 3; a start that reads all: {scan:.0f} ms")
    verification = statistics.median(verifications)
    bench.add("restart.verify", verification / scan, note=f"{verification:.0f} ms beside {scan:.0f} ms")


RESTART = Group([
    Row("restart.serve", "start with the documents of the last run until the first list", "ms", 300),
    Row("restart.verify", "from there until `sync` is answered, to a start that reads all", "x", 1),
], measure_restart)


# MARK: Lists

NEW_ORDERS = (["-modified"], ["-name"], ["size"], ["type", "name"], ["path"])


def measure_lists(bench):
    one = bench.client()
    bench.begin()
    bench.limit.begin()
    begun = time.monotonic()
    first = one.open()
    whole = (time.monotonic() - begun) * 1000
    seen = bench.end()
    window = min(when for (number, _), when in one.lists.first_rows.items() if number == first)
    bench.add("list.first", (window - begun) * 1000, **seen)
    bench.add("list.first.complete", whole, **seen)
    times = []
    bench.begin()
    for _ in range(9):
        other = bench.client()
        times.append(bench.timed(other.open))
        other.close()
    bench.add("list.other", statistics.median(times), note=f"median of 9; the longest {max(times):.1f}", **bench.end())
    windows, wholes = [], []
    gen = 0
    bench.begin()
    for order in NEW_ORDERS:
        gen += 1
        bench.limit.begin()
        begun = time.monotonic()
        one.update(first, gen, sort=order)
        wholes.append((time.monotonic() - begun) * 1000)
        windows.append((one.lists.first_rows[first, gen] - begun) * 1000)
    seen = bench.end()
    each = ", ".join(f"{'+'.join(order)} {whole:.0f}" for order, whole in zip(NEW_ORDERS, wholes))
    bench.add("order.window", max(windows), note=f"the longest of {len(windows)}", **seen)
    bench.add("order.complete", max(wholes), note=each, **seen)
    # The last two are at hand, and stay so.
    times = []
    bench.begin()
    for turn in range(9):
        gen += 1
        times.append(bench.timed(lambda turn=turn, gen=gen: one.update(
            first, gen, sort=NEW_ORDERS[-2 if turn % 2 == 0 else -1])))
    bench.add("order.back", statistics.median(times), note=f"median of 9; the longest {max(times):.1f}", **bench.end())
    one.close()


LISTS = Group([
    Row("list.first", "the first list after the scan, by name: its first rows", "ms", 10),
    Row("list.first.complete", "the first list after the scan, by name: complete", "ms", 300),
    Row("list.other", "the same list for another client", "ms", 2),
    Row("order.window", "an order never asked for: its first rows", "ms", 5),
    Row("order.complete", "an order never asked for: complete", "ms", 300),
    Row("order.back", "back to an order at hand", "ms", 2),
], measure_lists, is_fresh=True)


# MARK: Search

TEXTS = {"q": "q", "tax": "tax", "budget": "budget", "presentation": "presentation", "none": "no such name",
         "strasse": "straße", "cyrillic": "ю", "digit": "7", "suffix": ".pdf"}
# rg folds no accents, so it finds fewer of the others.
SAME_FOR_RG = ("q", "tax", "budget", "presentation", "none", "digit", "suffix")


def measure_search(bench):
    client = bench.client()
    # The order by name is at hand; the search is not.
    client.open()
    rg = shutil.which("rg")
    names = bench.names_file() if rg else None
    ratios = []
    for name, text in TEXTS.items():
        found = bench.measure(f"search.{name}", lambda text=text: client.ask(
            "items.get", search=text, fields=["name", "size"], window={"start": 0, "count": 100}))
        ours = bench.value(f"search.{name}")
        if rg is None or ours is None:
            continue
        times = []
        for _ in range(3):
            times.append(bench.timed(lambda text=text: bench.search_by(
                [rg, "-i", "-F", "--no-mmap", "--", text, names])))
        if name in SAME_FOR_RG and bench.output_lines() != found["total"]:
            bench.fault(f"'{text}' is in {found['total']} names, and in {bench.output_lines()} by rg")
        ratios.append((ours / statistics.median(times), text, statistics.median(times)))
    if rg is None:
        bench.cannot_run("search.rg", "rg is not installed")
    elif ratios:
        worst = max(ratios)
        bench.add("search.rg", worst[0], note=f"the worst is '{worst[1]}': rg {worst[2]:.1f} ms")
    client.close()


SEARCH = Group(
    [Row(f"search.{name}", f"search '{text}', the first 100 by name", "ms", 10) for name, text in TEXTS.items()]
    + [Row("search.rg", "a search, to rg -i -F on the names", "x", 1)], measure_search)


# MARK: Letters

TYPED = ("budget", "presentation", "straße")


def measure_letters(bench):
    client = bench.client()
    number = client.open()
    # The list is made, as it is soon after its first rows have come.
    client.ask("items.get", window={"start": bench.tree.count // 2, "count": 1})
    gen = 0
    times = {"first": [], "next": [], "backspace": [], "clear": []}
    windows = {"first": [], "next": []}

    def show(kind, text):
        nonlocal gen
        gen += 1
        begun = time.monotonic()
        times[kind].append(bench.timed(lambda: client.update(number, gen, search=text)))
        if kind in windows:
            windows[kind].append((client.lists.first_rows[number, gen] - begun) * 1000)

    bench.begin()
    for text in TYPED:
        for end in range(1, len(text) + 1):
            show("first" if end == 1 else "next", text[:end])
        for end in range(len(text) - 1, 0, -1):
            show("backspace", text[:end])
        show("clear", None)
    seen = bench.end()
    for kind, found in {**times, **{f"{kind}.window": found for kind, found in windows.items()}}.items():
        bench.add(f"letter.{kind}", max(found),
                  note=f"the longest of {len(found)}; median {statistics.median(found):.2f}", **seen)
    client.close()


LETTERS = Group([
    Row("letter.first", "the first letter of a search in an open list", "ms", 10),
    Row("letter.first.window", "the first letter: its first rows", "ms"),
    Row("letter.next", "each next letter", "ms", 1),
    Row("letter.next.window", "each next letter: its first rows", "ms", 1),
    Row("letter.backspace", "backspace", "ms", 1),
    Row("letter.clear", "the search is cleared", "ms", 2),
], measure_letters)


# MARK: Fuzzy

def fuzzy_query(source, names):
    """What somebody may type to find a file: letters of its words, and fzf's terms."""
    name = source.choice(names)
    words = [each for each in name.rsplit(".", 1)[0].lower().split() if len(each) > 2]
    one, other = source.choice(words), source.choice(words)

    def piece(word):
        start = source.randrange(max(1, len(word) - 2))
        return word[start:start + source.randint(3, 5)]

    kinds = [
        lambda: one[:3] + other[:3],
        lambda: "".join(one[at] for at in sorted(source.sample(range(len(one)), min(4, len(one))))),
        lambda: one,
        lambda: f"{piece(one)} {piece(other)}",
        lambda: f"'{piece(one)} {other[:2]}",
        lambda: f"^{words[0][:4]} {piece(one)}",
        lambda: f"{piece(one)} {name.rsplit('.', 1)[1]}$",
        lambda: f"{piece(one)} !{source.choice(['tax', 'photo', '19', 'md'])}",
        lambda: f"{piece(one)} | {piece(other)}",
    ]
    return source.choice(kinds)()


def measure_fuzzy(bench):
    client = bench.client()
    # fzf takes the first of equals; for the daemon that is the first by name.
    bench.limit.begin()
    ordered = os.path.join(bench.private, "ordered")
    number = client.send("items.open", window={"start": 0, "count": None}, fields=["name"], sort=["name"])
    client.lists.names[number] = []
    client.wait(number)
    names = [each for each in client.lists.names.pop(number) if each]
    client.ask("items.close", sub=number)
    if len(names) != bench.tree.count:
        raise CannotRun(f"the list of all has {len(names)} names")
    with open(ordered, "w", encoding="utf-8") as file:
        file.write("\n".join(names) + "\n")
    # fzf ignores accents of queries without any only, and both read some letters in ways of their own.
    plain = [each for each in names[::max(1, len(names) // 5000)] if each.isascii()]
    fzf = shutil.which("fzf")
    source = random.Random(14)
    ours, theirs, same, asked = [], [], 0, 0
    for _ in range(bench.queries):
        query = fuzzy_query(source, plain)

        def ask(query=query):
            return client.ask("items.get", search=query, match="fuzzy", sort=["score"], fields=["name"],
                              window={"start": 0, "count": 50})["items"]

        begun = time.monotonic()
        bench.limit.begin()
        found = [each["name"] for each in ask()]
        ours.append((time.monotonic() - begun) * 1000)
        if fzf is None:
            continue
        theirs.append(bench.timed(lambda query=query: bench.search_by(
            [fzf, "--filter", query], stdin=ordered)))
        best = bench.output_first(10)
        asked += 1
        # Where fzf finds fewer than ten names, the rest of ours match by their folders.
        same += best == found[:len(best)]
    client.close()
    if fzf is None:
        bench.cannot_run("fuzzy.fzf", "fzf is not installed")
        bench.cannot_run("fuzzy.best", "fzf is not installed")
        return
    ratio = statistics.median(ours) / statistics.median(theirs)
    bench.add("fuzzy.fzf", ratio, note=f"{statistics.median(ours):.1f} ms beside {statistics.median(theirs):.1f} ms, "
              f"medians of {asked}")
    bench.add("fuzzy.best", 100 * same / asked, note=f"{same} of {asked} queries")


FUZZY = Group([
    Row("fuzzy.fzf", "fuzzy, ranked, the first 50, to `fzf --filter`", "x", 0.1),
    Row("fuzzy.best", "the same best ten as fzf", "%", 95, at_least=True),
], measure_fuzzy)


# MARK: Typing

def measure_typing(bench):
    for count in (1, 50):
        bench.attempt([f"typing.{count}"], type_letters, count)


def type_letters(bench, count):
    """Types at the same rate in each of `count` lists, in one process, which sleeps in between."""
    bench.limit.begin()
    clients = [bench.client() for _ in range(count)]
    numbers = [each.open(fields=["name"]) for each in clients]
    texts = [(" ".join(WORDS[(index + step) % 20] for step in (0, 7, 3)) + " report draft")[:20]
             for index in range(count)]
    poll = select.poll()
    by_number = {each.socket.fileno(): index for index, each in enumerate(clients)}
    for number in by_number:
        poll.register(number, select.POLLIN)
    bench.begin()
    start = time.monotonic() + 0.02
    keys = sorted((start + letter * 0.01 + index * 0.01 / count, index, letter)
                  for index in range(count) for letter in range(20))
    pressed, answered = {}, {}
    while len(answered) < count:
        wait = (keys[0][0] if keys else time.monotonic() + bench.limit.left) - time.monotonic()
        if wait <= 0:
            _, index, letter = keys.pop(0)
            clients[index].send("items.update", sub=numbers[index], gen=letter + 1, search=texts[index][:letter + 1])
            pressed[index] = time.monotonic()
            continue
        for number, _ in poll.poll(wait * 1000):
            index = by_number[number]
            for message in clients[index].receive():
                if "error" in message:
                    raise CannotRun(f"{message['error']}")
            if clients[index].lists.complete.get(numbers[index], (0, 0))[0] == 20:
                answered.setdefault(index, time.monotonic())
        _ = bench.limit.left
    taken = sorted((answered[index] - pressed[index]) * 1000 for index in range(count))
    bench.add(f"typing.{count}", taken[-1], note=f"of the last of {count}; median {statistics.median(taken):.1f}",
              **bench.end())
    for each in clients:
        each.close()


TYPING = Group([
    Row("typing.1", "1 client types 20 letters in 200 ms: last key to last answer", "ms", 10),
    Row("typing.50", "50 clients do: last key to last answer", "ms", 50),
], measure_typing)


# MARK: Clients

ORDERS = (["name"], ["-name"], ["-modified"], ["modified"], ["size"], ["-size"], ["type", "name"], ["path"])
SEARCHES = ("report", "budget", "tax", "presentation", "pdf", "2019", "straße", "photo", "plan", "a")


def searched(index):
    """What the list with this number searches for: four of five do."""
    return {"search": SEARCHES[(index + index // 10) % 10]} if index % 5 else {}


def open_many(clients):
    """Opens a list for each, in 8 orders and with 10 searches. Returns once all are complete."""
    numbers = [each.send("items.open", window=WINDOW, fields=["name"], sort=ORDERS[index % 8], **searched(index))
               for index, each in enumerate(clients)]
    for each, number in zip(clients, numbers):
        each.wait(number)
    return numbers


def look_around(bench):
    """What the rows of lists, searches and letters do, by one more client."""
    client = bench.client()
    number = client.open()
    gen = 0
    queries = [{"sort": order} for order in (["liked"], ["-path"], ["-type", "size"], ["name"])]
    queries += [{"search": text[:end] or None} for text in TYPED for end in [*range(1, len(text) + 1), 0]]
    queries += [{"window": {"start": bench.tree.count // 2, "count": 50}}]
    queries += [{"search": "rep24", "match": "fuzzy", "sort": ["score"], "window": WINDOW}]
    for query in queries:
        gen += 1
        client.update(number, gen, **query)
    for text in ("invoice", "no such name"):
        client.ask("items.get", search=text, window={"start": 0, "count": 100})
    client.close()


def measure_clients(bench):
    daemon = bench.daemon
    before = daemon.memory()
    clients = [bench.client() for _ in range(100)]
    holds = []
    bench.measure("clients.open", lambda: open_many(clients))
    holds.append(bench.last_seen)
    readers = Readers(clients)
    try:
        bench.add("clients.resident", daemon.memory())
        bench.attempt(["hold"], measure_hold, holds)
        bench.attempt(["change.first", "change.cpu"], measure_change, readers)
    finally:
        readers.stop()
    if daemon.has_ended:
        raise CannotRun("the daemon was started anew, as a step took too long")
    end = time.monotonic() + 10
    while (after := daemon.memory()) > 1.2 * before and time.monotonic() < end:
        time.sleep(0.2)
    bench.add("resident.left", 100 * after / before, note=f"{before:.0f} MB before, {after:.0f} after at most 10 s")


def measure_hold(bench, holds):
    bench.begin()
    bench.limit.begin()
    look_around(bench)
    holds.append(bench.end())
    pings = max(each["ping"] for each in holds)
    found = [each["hold"] for each in holds if each["hold"] is not None]
    if found:
        bench.add("hold", max(found), note=f"the longest ping {pings:.1f} ms")
    else:
        bench.add("hold", pings, note=f"by pings, not by the loop: {bench.no_hold or 'turns.c was not loaded'}")


CHANGES = 40
# The processor time, in ms, that a daemon without work may take in the time of QUIET.
IDLE_MS = 1


def wait_until_idle(bench):
    """Returns when the daemon has done what goes on once all lists are complete: orders that nobody waits for."""
    last = None
    while last is None or processor_ms(bench.daemon.pid) - last > IDLE_MS:
        last = processor_ms(bench.daemon.pid)
        time.sleep(min(QUIET, bench.limit.left))


def measure_change(bench, readers):
    """Files of one folder are created, written, renamed and removed by turns. Nothing else is asked meanwhile."""
    bench.limit.begin()
    folder = os.path.join(bench.tree.root, "changes")
    os.makedirs(folder, exist_ok=True)
    bench.sync()
    readers.wait_until_quiet(bench.limit)
    wait_until_idle(bench)

    def change(number):
        path = os.path.join(folder, f"report {number // 4}.txt")
        if number % 4 < 2:
            with open(path, "a", encoding="utf-8") as file:
                file.write("text")
        elif number % 4 == 2:
            os.rename(path, path + ".txt")
        else:
            os.unlink(path + ".txt")

    def cost(numbers):
        begun = processor_ms(bench.daemon.pid)
        for number in numbers:
            change(number)
            time.sleep(0.03)
        readers.wait_until_quiet(bench.limit)
        return (processor_ms(bench.daemon.pid) - begun) / len(numbers)

    bench.add("change.first", cost(range(1)))
    for number in range(1, 4):
        change(number)
    readers.wait_until_quiet(bench.limit)
    bench.add("change.cpu", cost(range(4, 4 + CHANGES)), note=f"the mean of {CHANGES}")
    shutil.rmtree(folder)
    bench.sync()


CLIENTS = Group([
    Row("clients.open", "100 clients open lists in 8 orders with 10 searches", "ms", 1000),
    Row("clients.resident", "resident with them", "MB"),
    Row("hold", "longest hold of the loop: those opened; lists, orders, letters beside them", "ms", 2),
    Row("change.first", "the first change with those lists: processor time", "ms"),
    Row("change.cpu", "one change with those lists: processor time", "ms", 1),
    Row("resident.left", "resident after they left, of what it was before", "%", 120),
], measure_clients, is_fresh=True)


# MARK: Requests of each kind

ALL = {"start": 0, "count": None}
LONG = {"start": 0, "count": 10_000}
# Twenty patterns, none of which a name has: about as much as one request may ask for.
DEAR = ["anyof"] + [["imatch", f"*q{number}*z"] for number in range(20)]


def requests_of_each_kind(keys):
    """What is asked of all documents, or of very many: a name, and what a client that has opened the list asks for.

    A list is None where none is opened, and else its query; with `layout`, one follows it."""
    key = {"fields": ["key"]}
    for order in ("name", "size", "modified", "type", "path", "liked"):
        for sign in ("", "-"):
            yield f"open all by {sign}{order}", None, "items.open", {"sort": [sign + order], "window": ALL, **key}
    yield "open all, all fields", None, "items.open", {"window": ALL}
    yield "open by patterns", None, "items.open", {"where": DEAR}
    yield "open all by patterns", None, "items.open", {"where": DEAR, "window": ALL}
    yield "open with a search", None, "items.open", {"sort": ["path", "-modified"], "search": "9", "window": WINDOW}
    for where in (["suffix", "pdf"], ["imatch", "*report*"], ["match", "budget*"]):
        yield f"open where {' '.join(where)}", None, "items.open", {"where": where}
    yield "get 20,000", None, "items.get", {"sort": ["type", "-name"], "window": {"start": 0, "count": 20_000}, **key}
    yield "get 4,000, all fields", None, "items.get", {"window": {"start": 0, "count": 4000}}
    yield "get all", None, "items.get", {"window": ALL}
    yield "get fuzzy", None, "items.get", {"search": "rep bud", "match": "fuzzy", "sort": ["score"], "window": WINDOW}
    yield "get words", None, "items.get", {"search": "budget report", "match": "words", "window": WINDOW}
    yield "a page", None, "items.page", {"sort": ["liked", "-path"], "index": 30, "size": 1000}
    for name, window in (("50", WINDOW), ("10,000", LONG), ("all", ALL)):
        yield f"{name}: search", {"window": window, **key}, "items.update", {"search": "9"}
        yield f"{name}: order", {"window": window, **key}, "items.update", {"sort": ["liked", "size"]}
    yield "50 to all", {"window": WINDOW, **key}, "items.update", {"window": ALL}
    yield "all to 50", {"window": ALL, **key}, "items.update", {"window": WINDOW}
    yield "an anchor", {"window": WINDOW}, "items.update", {
        "window": {"offset": 10, "count": 50, "anchor": "key:" + keys[40]}}
    yield "statistics", None, "documents.stats", {}
    yield "statistics by patterns", None, "documents.stats", {"where": DEAR}
    yield "like 1,000", {"window": WINDOW}, "items.like", {"keys": keys, "liked": True}
    yield "unlike 1,000", {"window": WINDOW}, "items.like", {"keys": keys, "liked": False}
    yield "drop 1,000", {"window": WINDOW}, "items.drop", {"keys": keys}
    yield "restore all", {"window": WINDOW}, "items.restore", {"all": True}
    yield "replay", None, "events.replay", {"topics": ["*"], "limit": 1000}
    for name in ("daemon.info", "daemon.schema"):
        yield name, None, name, {}


def measure_methods(bench):
    client = bench.client()
    client.open()
    bench.limit.begin()
    found = client.ask("items.get", window={"start": 1, "count": 1000}, fields=["key"])["items"]
    keys = [each["key"] for each in found]
    holds = []
    for name, query, method, params in requests_of_each_kind(keys):
        bench.limit.begin()
        one = bench.client()
        number = None if query is None else one.open(**query)
        bench.begin()
        try:
            if method == "items.open":
                one.wait(one.send(method, **{"window": WINDOW, **params}))
            elif method == "items.update":
                one.update(number, 1, **params)
            else:
                one.ask(method, **params)
        except CannotRun as error:
            # An answer that would be longer than a line may be is refused.
            if "1008" not in str(error):
                raise
        holds.append((bench.end(), name))
        bench.begin()
        one.close()
        client.ask("daemon.ping")
        holds.append((bench.end(), f"the end of '{name}'"))
    client.close()
    pings = max((seen["ping"], name) for seen, name in holds)
    known = [(seen["hold"], name) for seen, name in holds if seen["hold"] is not None]
    if not known:
        raise CannotRun(f"{bench.no_hold or 'turns.c was not loaded'}; the longest ping is {pings[0]:.1f} ms")
    long = [f"{name} {hold:.1f}" for hold, name in sorted(known, reverse=True) if hold > 2]
    bench.add("methods.hold", max(known)[0], note=f"{len(known)} kinds; over 2 ms: {', '.join(long[:6]) or 'none'}")
    bench.add("methods.ping", pings[0], note=pings[1])


METHODS = Group([
    Row("methods.hold", "a request of any kind, and the end of its client: longest hold of the loop", "ms", 2),
    Row("methods.ping", "the longest ping beside them", "ms"),
], measure_methods)


# MARK: A subscriber

def measure_relay(bench):
    """Beside the relay, which tells of one flat folder: the daemon tells of such a folder within its tree."""
    relay, changes = bench.tool("relay"), bench.tool("changes")
    greeting = b'{"id":1,"method":"events.subscribe","params":{"topics":["documents.*"]}}\n'
    count, ours, theirs = 500, [], []
    own = os.path.join(bench.private, "relayed")
    within = os.path.join(bench.tree.root, "changes")

    def cost(pid, folder, *source):
        before = processor_ms(pid)
        found = bench.run_json(changes, "paced", folder, count, 200, *source)
        if found["told"] != count:
            bench.fault(f"{found['told']} of {count} changes were told of")
        return (processor_ms(pid) - before) * 1000 / count

    for turn in range(3):
        for is_relay in (turn % 2 == 0, turn % 2 != 0):
            bench.limit.begin()
            folder = own if is_relay else within
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            bench.limit.run(changes, "prepare", folder, count)
            if is_relay:
                theirs.append(bench.beside(relay, folder, cost))
            else:
                bench.sync()
                ours.append(cost(bench.daemon.pid, folder, bench.daemon.path, greeting.hex(), "lines:1"))
    shutil.rmtree(within)
    bench.sync()
    one, other = statistics.median(ours), statistics.median(theirs)
    bench.add("change.relay", one / other, note=f"{one:.0f} µs beside {other:.0f} µs, medians of 3")


RELAY = Group([
    Row("change.relay", "one change to a subscriber: processor time, to the C relay", "x", 2),
], measure_relay)


# MARK: Bulk changes

def exact(bench, readers, act):
    """How long after the end of `act` all is right for every client: `sync` is answered, and the lists have told all
    of it; in ms."""
    bench.limit.begin()
    act()
    ended = time.monotonic()
    bench.sync()
    synchronised = time.monotonic()
    last = readers.wait_until_quiet(bench.limit)
    return (max(synchronised, last) - ended) * 1000


def check_totals(bench, clients, numbers):
    """Whether the lists have as many rows as the daemon counts anew."""
    bench.limit.begin()
    asking = bench.client()
    for index, (each, number) in enumerate(zip(clients, numbers)):
        total = asking.ask("items.get", window={"start": 0, "count": 0}, **searched(index))["total"]
        if each.lists.complete[number][1] != total:
            bench.fault(f"list {index} has {each.lists.complete[number][1]} rows, not {total}")
    asking.close()


def measure_bulk(bench):
    count = max(100, bench.tree.count // 10)
    outside = os.path.join(bench.private, "outside")
    inside, deeper = (os.path.join(bench.tree.root, each) for each in ("arrived", "deeper"))
    moved = os.path.join(deeper, "moved")
    bench.limit.begin()
    make_files(outside, count)
    os.mkdir(deeper)
    bench.sync()
    run = bench.limit.run

    def one(row, act):
        clients = [bench.client() for _ in range(10)]
        bench.limit.begin()
        numbers = open_many(clients)
        readers = Readers(clients)
        try:
            bench.begin()
            taken = exact(bench, readers, act)
            seen = bench.end()
            check_totals(bench, clients, numbers)
            bench.add(row, taken, **seen)
        finally:
            readers.stop()

    steps = [
        ("bulk.in", lambda: os.rename(outside, inside)),
        ("bulk.within", lambda: os.rename(inside, moved)),
        ("bulk.touch", lambda: run("find", moved, "-type", "f", "-exec", "touch", "{}", "+")),
        ("bulk.out", lambda: os.rename(moved, outside)),
        ("bulk.cp", lambda: run("cp", "-r", outside, inside)),
        ("bulk.rm", lambda: run("rm", "-rf", inside)),
    ]
    try:
        for row, act in steps:
            bench.attempt([row], lambda _, row=row, act=act: one(row, act))
    finally:
        for each in (outside, inside, deeper):
            shutil.rmtree(each, ignore_errors=True)
    bench.limit.begin()
    bench.sync()


BULK = Group([
    Row(f"bulk.{name}", f"a tenth of the files {what}, 10 lists open: end until exact", "ms", 300, ping=5)
    for name, what in (("in", "is moved in"), ("within", "is moved within"), ("touch", "is touched"),
                       ("out", "is moved out"), ("cp", "is copied (cp -r)"), ("rm", "is removed (rm -rf)"))
], measure_bulk)


def measure_rename(bench):
    times = {}
    for share in (100, 50, 25):
        size = max(10, bench.tree.count // share)
        bench.attempt([f"rename.{100 // share}"], rename_one, share, size, times)
    if len(times) < 3:
        raise CannotRun("a rename of another size failed")
    one, two, four = times[100], times[50], times[25]
    # What takes some milliseconds is the fixed cost.
    grown = [larger / smaller if larger > 5 else 0 for smaller, larger in ((one, two), (two, four))]
    bench.add("rename.growth", max(grown), note="0 for less than 5 ms" if 0 in grown else "")


def rename_one(bench, share, size, times):
    folder = os.path.join(bench.tree.root, "many")
    bench.limit.begin()
    outside = os.path.join(bench.private, "many")
    os.mkdir(outside)
    readers = None
    try:
        for index in range(size):
            os.close(os.open(os.path.join(outside, f"zz photo {index:06}.jpg"), os.O_CREAT | os.O_WRONLY, 0o644))
        os.rename(outside, folder)
        bench.sync()
        clients = [bench.client() for _ in range(3)]
        for each, order in zip(clients, (["path"], ["-modified"], ["name"])):
            each.open(sort=order)
        readers = Readers(clients)
        bench.begin()
        names = (folder, folder + " renamed")
        found = [exact(bench, readers, lambda turn=turn: os.rename(names[turn % 2], names[(turn + 1) % 2]))
                 for turn in range(3)]
        times[share] = statistics.median(found)
        bench.add(f"rename.{100 // share}", times[share], note=f"{size} files; median of 3", **bench.end())
    finally:
        if readers is not None:
            readers.stop()
        for each in (outside, folder, folder + " renamed"):
            shutil.rmtree(each, ignore_errors=True)
    bench.limit.begin()
    bench.sync()


RENAME = Group([
    Row("rename.1", "a folder of 1 % renamed, lists by path, date, name: until exact", "ms"),
    Row("rename.2", "a folder of 2 %", "ms"),
    Row("rename.4", "a folder of 4 %", "ms", 120),
    Row("rename.growth", "the most that twice as many take", "x", 2),
], measure_rename)


# MARK: Exit

def measure_exit(bench):
    client = bench.client()
    client.open()
    bench.stop()
    bench.add("exit", max(bench.exits), note=f"the longest of {len(bench.exits)}")


EXIT = Group([Row("exit", "SIGTERM until it has ended", "ms", 200)], measure_exit)

GROUPS = {"start": START, "restart": RESTART, "lists": LISTS, "search": SEARCH, "letters": LETTERS, "fuzzy": FUZZY,
          "typing": TYPING, "clients": CLIENTS, "methods": METHODS, "relay": RELAY, "bulk": BULK, "rename": RENAME, "exit": EXIT}
ROWS = {row.name: row for group in GROUPS.values() for row in group.rows}

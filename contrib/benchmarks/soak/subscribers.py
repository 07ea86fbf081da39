"""The subscribers: they read, sleep, connect and leave, die, stop for good, or send garbage."""

import os
import random
import select
import signal
import socket
import time

from ledger import Contents, Ledger, line

_PIECE = 1 << 20
# The maximum time for a survivor to catch up after the last publication.
_CATCH_UP = 120
# The maximum silence while a message is expected.
_SILENCE = 20


def _connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_SILENCE)
    connection.connect(path)
    return connection


def _report(results, ledger, kind, **more):
    results.put({"kind": kind, "events": ledger.events, "lost": ledger.lost,
                 "faults": ledger.faults, **more})


def _read_until_last(connection, last, feed, ledger):
    """Reads up to the last event, whose number is in `last` after publishing has ended."""
    deadline = time.monotonic() + _CATCH_UP
    while ledger.last is None or last.value == 0 or ledger.last < last.value:
        if not select.select([connection], [], [], 1)[0]:
            if time.monotonic() > deadline:
                ledger.faults.append(
                    f"{ledger.name}: {ledger.last} is the last it has had, of {last.value}")
                return
            continue
        data = connection.recv(_PIECE)
        if not data:
            ledger.faults.append(f"{ledger.name}: closed by the daemon at {ledger.last}")
            return
        feed(data)


def survive(path, stop, last, results, name, awake=None, asleep=None, looks_inside=False):
    """Stays to the end. It reads all the time; or for about `awake` seconds, and sleeps for about `asleep`,
    in turns; or, with `awake` 0, not at all before the end."""
    rng = random.Random(name)
    ledger = Ledger(name)
    contents = Contents(ledger) if looks_inside else None

    def feed(data):
        ledger.feed(data)
        if contents is not None:
            contents.feed(data)

    with _connect(path) as connection:
        connection.sendall(ledger.request())
        if awake == 0:
            stop.wait()
        while not stop.is_set():
            until = time.monotonic() + (awake or 1) * rng.uniform(0.5, 1.5)
            while time.monotonic() < until:
                if select.select([connection], [], [], 0.2)[0]:
                    data = connection.recv(_PIECE)
                    if not data:
                        break
                    feed(data)
            if asleep:
                stop.wait(asleep * rng.uniform(0.5, 1.5))
        _read_until_last(connection, last, feed, ledger)
    _report(results, ledger, "survivor", name=name)


def visit(path, stop, results, number):
    """Comes for a moment and goes, again and again: with replay, with `since` where it left, politely,
    in the middle of a line, or with all unread."""
    rng = random.Random(number)
    ledger = Ledger(f"visitor {number}")
    visits = 0
    while not stop.is_set():
        visits += 1
        way = rng.choice(["ends", "unsubscribes", "closes", "half a line"])
        replay = rng.choice([None, 0, 1, 1000, 1_000_000])
        try:
            with _connect(path) as connection:
                connection.sendall(ledger.request(replay=replay, resume=rng.random() < 0.6))
                until = time.monotonic() + rng.uniform(0.05, 2)
                while time.monotonic() < until and not stop.is_set():
                    ledger.feed(connection.recv(_PIECE))
                _leave(connection, way, ledger, rng)
        except OSError as error:
            if not stop.is_set():
                ledger.faults.append(f"{ledger.name}: {error}, where it {way}")
                break
        if rng.random() < 0.3:
            stop.wait(rng.uniform(0, 3))
    _report(results, ledger, "visitor", visits=visits)


def _leave(connection, way, ledger, rng):
    if way == "closes":
        return
    if way == "half a line":
        connection.sendall(b'{"id":3,"method":"events.publ')
        return
    if way == "unsubscribes":
        connection.sendall(line("events.unsubscribe", {"sub": 7}, 8))
    # What is owed comes, and then the end; in a flood more is always owed to one that has not
    # unsubscribed, so its patience ends.
    connection.shutdown(socket.SHUT_WR)
    until = time.monotonic() + (_SILENCE if way == "unsubscribes" else rng.uniform(0, 1))
    while time.monotonic() < until:
        data = connection.recv(_PIECE)
        if not data:
            return
        ledger.feed(data)
    if way == "unsubscribes":
        ledger.faults.append(f"{ledger.name}: it has unsubscribed, and there is no end")


def die(path, stop, results, number):
    """Child processes that subscribe, publish and are killed meanwhile."""
    rng = random.Random(number)
    deaths = 0
    while not stop.is_set():
        child = os.fork()
        if child == 0:
            try:
                _live(path, rng.random())
            finally:
                os._exit(1)
        stop.wait(rng.uniform(0.2, 2))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        deaths += 1
    results.put({"kind": "killed", "deaths": deaths, "faults": []})


def _live(path, chance):
    publish = line("events.publish", {"topic": "mortal", "data": "x" * 1000})
    with _connect(path) as connection:
        connection.sendall(Ledger("mortal").request(replay=1000))
        while True:
            if chance < 0.5:
                connection.recv(_PIECE)
            if chance < 0.8:
                # The second half of a line may never arrive.
                connection.sendall(publish[40:] + publish[:40])


def ask_and_not_read(path, stop, results, number, patience):
    """Sends requests and reads nothing: the daemon must close it within `patience` seconds."""
    ends = goodbyes = 0
    faults = []
    question = line("events.replay", {"topics": ["*"], "count": 20}, 1) * 50
    while not stop.is_set():
        ledger = Ledger(f"deaf {number}")
        start = time.monotonic()
        with _connect(path) as connection:
            connection.sendall(ledger.request())
            connection.setblocking(False)
            if _push(connection, question, stop, start + patience):
                ends += 1
                goodbyes += _ends_with_goodbye(connection)
            elif not stop.is_set():
                faults.append(f"deaf {number}: still connected after {patience} s")
    results.put({"kind": "deaf", "ends": ends, "goodbyes": goodbyes, "faults": faults})


def _push(connection, question, stop, deadline):
    """Sends until the daemon closes the connection; returns whether it did."""
    rest = b""
    while not stop.is_set() and time.monotonic() < deadline:
        rest = rest or question
        try:
            rest = rest[connection.send(rest):]
        except BlockingIOError:
            stop.wait(0.1)
        except (BrokenPipeError, ConnectionResetError):
            return True
    return False


def _ends_with_goodbye(connection):
    """Whether what is left to read ends with the daemon's last word; it goes unsaid where not a byte
    was taken in the time for that."""
    tail = b""
    try:
        while data := connection.recv(_PIECE):
            tail = (tail + data)[-200:]
    except OSError:
        pass
    return tail.endswith(b'"method":"$/goodbye","params":{"reason":"slow"}}\n')


def talk_nonsense(path, stop, results, number):
    """Sends garbage, endless lines, endless numbers and deep nesting, and leaves."""
    rng = random.Random(number)
    count = 0
    while not stop.is_set():
        count += 1
        junk = rng.choice([
            lambda: rng.randbytes(200_000), lambda: b"x" * (3 << 20), lambda: b"[" * 100_000 + b"\n",
            lambda: b'{"id":' + b"9" * 100_000, lambda: b"\n" * 200_000,
            lambda: line("events.publish", {"topic": "a", "data": ["y" * 900_000]})[:-1],
            lambda: b'{"id":1,"method":"events.publish","params":{"topic":"A b","data":{"a":1,"a":2}}}\n' * 99,
        ])()
        with _connect(path) as connection:
            connection.setblocking(False)
            until = time.monotonic() + 1
            while junk and time.monotonic() < until:
                try:
                    junk = junk[connection.send(junk):]
                    if rng.random() < 0.7:
                        connection.recv(_PIECE)
                except BlockingIOError:
                    stop.wait(0.01)
                except OSError:
                    break
        stop.wait(rng.uniform(0, 0.5))
    results.put({"kind": "nonsense", "count": count, "faults": []})

#!/usr/bin/env python3
"""Hostile plugins, as children of a daemon: each falls for the reason that is its own, and disturbs nothing else.

usage: contrib/tests/hostile.py BINARIES
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib" / folder) for folder in ("clients", "tests")]

from guarding import children, those_with  # noqa: E402
from pickerd import Client, LiveList, Query, Refused  # noqa: E402
from test_pickerd import PATIENCE, eventually, run  # noqa: E402

WORD = {"type": "object", "properties": {"word": {"type": "string"}}}
#: Of each plugin, what differs from the usual manifest.
PLUGINS: dict[str, dict[str, Any]] = {
    name: {} for name in "endless loris overrun memory nonsense twice mistyped closes immortal".split()
} | {
    "good": {"attributes": [{"name": "good.number", "type": "integer", "for": ["suffix", "num"], "group": "all"}]},
    "silent": {}, "flood": {}, "noisy": {"limits": {"callMs": 60_000}}, "asking": {"limits": {"callMs": 60_000}}, "hidden": {},
    "disorder": {"limits": {"parallel": 4}}, "bomb": {"keep": "demand"},
    "liar": {
        "attributes": [
            {"name": "liar.number", "type": "integer", "for": ["suffix", "txt"], "group": "lies"},
            {"name": "liar.word", "type": "text", "for": ["suffix", "txt"], "group": "lies"},
            {"name": "liar.more", "type": "integer", "for": ["suffix", "txt"], "group": "more"},
        ],
    },
}  # fmt: skip
KINDS = ["right", "type", "unknown", "long", "big", "seen", "shape", "deep"]
#: The most that the daemon's memory may grow by, in MiB: what it may hold for clients and for logs.
MOST_GROWTH = 64


class Pinger:
    """A client of its own, that pings all the time."""

    def __init__(self, test: Hosted) -> None:
        self.longest = 0.0
        self.count = 0
        self._client = Client(test.path)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)
        test.addCleanup(self.end)
        self._thread.start()

    def _run(self) -> None:
        while not self._ends.wait(0.001):
            began = time.monotonic()
            self._client.ping()
            self.longest = max(self.longest, time.monotonic() - began)
            self.count += 1

    def end(self) -> str:
        self._ends.set()
        self._thread.join()
        self._client.close()
        return f"{self.count} pings, the longest took {self.longest * 1000:.1f} ms"


class Hosted(unittest.TestCase):
    """A daemon with hostile plugins as children."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(suffix="-pickerd-hostile"))
        self.addCleanup(shutil.rmtree, self.home)
        self.mark = f"XDG_TEST_MARK={self.home.name}"
        self.root = self.home / "root"
        for folder in ("root", "config/pickerd", "runtime"):
            (self.home / folder).mkdir(parents=True)
        for name, more in PLUGINS.items():
            self.add(name, more)
        self.path = str(self.home / "sock")
        environment = {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"],
            "PICKERD_PLUGIN_PATH": str(self.home / "plugins"), "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"), "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_DATA_DIRS": "/usr/share", "XDG_RUNTIME_DIR": str(self.home / "runtime"),
            "XDG_TEST_MARK": self.home.name,
        }  # fmt: skip
        with open(self.home / "log", "wb") as log:
            self.daemon = subprocess.Popen(
                [BINARIES + "/pickerd", self.root, "--state", self.home / "state", "--socket", self.path],
                env=environment, stderr=log,
            )  # fmt: skip
        self.addCleanup(self.end)
        self.client = self.connect()
        self.client.wait_for_daemon(PATIENCE)
        self.client.sync(PATIENCE)

    def add(self, name: str, more: dict[str, Any]) -> None:
        folder = self.home / "plugins" / name
        folder.mkdir(parents=True)
        shutil.copy(PROJECT / "contrib/tests/hostile_plugin.py", folder / "program")
        (folder / "program").chmod(0o755)
        limits = {"memoryMiB": 64, "callMs": 500} | more.get("limits", {})
        manifest = {
            "id": name, "name": name, "version": "1", "api": {"min": 1, "max": 1}, "exec": ["./program"],
            "methods": [{"name": f"{name}.call", "result": WORD}], **more, "limits": limits,
        }  # fmt: skip
        (folder / "plugin.json").write_text(json.dumps(manifest))
        with open(self.home / "config/pickerd/plugins.toml", "a", encoding="utf-8") as file:
            file.write(f"[{name}]\nenabled = true\n")

    def connect(self) -> Client:
        client = Client(self.path)
        self.addCleanup(client.close)
        return client

    def end(self) -> None:
        self.daemon.terminate()
        self.daemon.wait()
        # A plugin in its two seconds of grace is ended by its guard.
        self.assertTrue(eventually(lambda: not those_with(self.mark)), those_with(self.mark))

    def record(self, name: str) -> dict[str, Any]:
        return next(plugin for plugin in self.client.plugins() if plugin["id"] == name)

    def refusal(self, name: str, **params: Any) -> str:
        """Calls a plugin, which does not answer; the words of the error."""
        with self.assertRaises(Refused) as caught:
            self.connect().request(f"{name}.call", params)
        self.assertEqual(caught.exception.code, 1009, str(caught.exception))
        return str(caught.exception)

    def ends(self, name: str) -> list[dict[str, Any]]:
        """What was told of each end of its processes."""
        events = self.client.replay(["plugin.exited"])
        return [event.data for event in events if event.data["id"] == name]

    def reasons(self, name: str) -> list[str]:
        return [end["reason"] for end in self.ends(name)]

    def falls(self, name: str, reason: str) -> None:
        """It falls, for this reason, and is to be started again later."""
        self.assertTrue(eventually(lambda: bool(self.ends(name))), f"{name} did not fall")
        first = self.ends(name)[0]
        self.assertEqual((first["reason"], first["state"]), (reason, "backoff"))

    def memory(self, name: str = "VmRSS") -> float:
        for line in Path(f"/proc/{self.daemon.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        self.fail("the daemon has ended")

    def goes_on(self) -> None:
        self.assertEqual(self.client.request("good.call", {"word": "on"}), {"word": "on"})


class HostileTests(Hosted):
    """One daemon for each test, with all of the plugins."""

    def test_each_falls_for_its_own_reason(self) -> None:
        self.goes_on()
        before = self.memory()
        pinger = Pinger(self)
        falls = {
            "endless": "protocol: a line longer than 1 MiB",
            "loris": "deadline",
            "overrun": "deadline",
            "memory": "exit:1",
            "nonsense": "protocol: 100 lines that are no request and no answer",
            "closes": "signal:15",
            "immortal": "signal:9",
            "silent": "hello: it did not answer within 5 s",
            "flood": "deadline",
            "bomb": "tasks",
        }
        errors: dict[str, str] = {}

        def attempt(name: str) -> None:
            try:
                client = Client(self.path)
                errors[name] = f"it answered: {client.request(f'{name}.call', {})}"
            except Refused as error:
                errors[name] = f"{error.code} {error}"
            client.close()

        threads = [threading.Thread(target=attempt, args=(name,)) for name in falls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
            self.goes_on()
        for name, reason in falls.items():
            with self.subTest(name):
                self.assertTrue(errors[name].startswith("1009 "), errors[name])
                self.falls(name, reason)
        for name in ("loris", "overrun", "flood"):
            self.assertIn("did not answer within 500 ms", errors[name])
        print(f"# ten fall at once: {pinger.end()}; memory {before:.0f} to {self.memory('VmHWM'):.0f} MiB at most")
        self.assertLess(self.memory("VmHWM"), before + MOST_GROWTH)
        self.goes_on()
        # By now some are started again.
        for name in falls:
            self.client.disable_plugin(name)
        self.assertTrue(eventually(lambda: not self.living(*falls)), self.living(*falls))

    def living(self, *names: str) -> list[int]:
        return [pid for name in names for pid in those_with(f"PICKERD_PLUGIN={name}") if pid in those_with(self.mark)]

    def test_a_bomb_goes_off_until_it_is_quarantined(self) -> None:
        pinger = Pinger(self)
        while self.record("bomb")["state"] != "quarantined":
            try:
                self.client.request("bomb.call", {})
            except Refused as error:
                # What says when the next start is: the state's own clock.
                wait = error.data.get("retryAfterMs", 0) if isinstance(error.data, dict) else 0
                eventually_at(wait / 1000)
        self.assertEqual(self.reasons("bomb"), ["tasks"] * 5)
        record = self.record("bomb")
        self.assertTrue(record["reason"].startswith("it fell 5 times within five minutes, last: tasks"), record)
        lines = [end["stderr"][-1] for end in self.ends("bomb")]
        self.assertEqual(set(lines), {"it has more than 16 processes and threads, its limit: all of it is killed"})
        self.assertEqual(self.living("bomb"), [])
        print(f"# five fork bombs: {pinger.end()}")
        self.goes_on()

    def test_a_liar_is_not_believed(self) -> None:
        for kind in KINDS:
            (self.root / f"{kind}.txt").write_text(kind)
        self.client.sync(PATIENCE)
        fields = ["name", "size", "liar.number", "liar.word", "liar.more"]
        shown: list[dict[str, Any]] = []
        with LiveList(Query(sort=["-liar.number"], fields=fields), self.path) as live:
            # Twice as many pauses as a file that is never as the plugin says gets within a second.
            until = time.monotonic() + 3
            while time.monotonic() < until:
                live.read(0.1)
                shown += [dict(item.raw) for item in live.items if not item.is_new]
        self.assertTrue(shown)
        right = {"right": (1, "true"), "unknown": (1, "true"), "long": (1, None), "big": (None, "true")}
        last = {}
        for item in shown:
            kind = item["name"].partition(".")[0]
            values = (item.get("liar.number"), item.get("liar.word"))
            self.assertIn(values, [(None, None), right.get(kind)], item)
            self.assertEqual(item["size"], len(kind))
            self.assertNotIn("666", json.dumps({name: item.get(name) for name in fields}))
            last[kind] = values
        self.assertEqual(last, {kind: right.get(kind, (None, None)) for kind in KINDS})
        self.assertEqual(self.record("liar")["state"], "ready")
        self.assertEqual(self.reasons("liar"), [])
        self.goes_on()

    def test_an_answer_counts_once_and_as_the_manifest_says(self) -> None:
        self.assertEqual(self.client.request("twice.call", {"word": "once"}), {"word": "once"})
        self.assertEqual(self.client.request("twice.call", {"word": "again"}), {"word": "again"})
        self.assertEqual(self.reasons("twice"), [])
        self.assertIn("did not answer as its manifest says", self.refusal("mistyped", word="a"))
        self.assertEqual(self.record("mistyped")["state"], "ready")

    def test_answers_in_another_order_find_who_asked(self) -> None:
        answers: dict[str, Any] = {}

        def ask(word: str) -> None:
            with Client(self.path) as client:
                answers[word] = client.request("disorder.call", {"word": word})

        threads = [threading.Thread(target=ask, args=(word,)) for word in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, {word: {"word": word} for word in "abcd"})

    def test_a_hundred_megabytes_of_noise_are_not_kept(self) -> None:
        before = self.memory()
        pinger = Pinger(self)
        try:
            answer = self.client.request("noisy.call", {"word": "a"})
        except Refused as refused:
            self.fail(f"{refused}; what is known of the plugin: {self.record('noisy')}")
        self.assertEqual(answer, {"word": "a"})
        self.assertEqual(self.record("noisy")["state"], "ready")
        print(f"# 100 MB of noise: {pinger.end()}; memory {before:.0f} to {self.memory('VmHWM'):.0f} MiB at most")
        self.assertLess(self.memory("VmHWM"), before + MOST_GROWTH)
        self.assertLess((self.home / "log").stat().st_size, 1 << 20)
        self.goes_on()

    def test_requests_of_a_plugin_leave_room_for_others(self) -> None:
        before = self.memory()
        pinger = Pinger(self)
        count = 20_000
        self.assertEqual(self.client.request("asking.call", {"count": count}), {"asked": count})
        print(f"# {count} requests of a plugin: {pinger.end()}; memory {before:.0f} to {self.memory('VmHWM'):.0f} MiB")
        self.assertLess(self.memory("VmHWM"), before + MOST_GROWTH)

    def test_nothing_is_left_of_what_hides(self) -> None:
        for falls, find in enumerate([lambda outer: outer, lambda outer: children(outer)[0]]):
            self.client.request("plugins.restart", {"id": "hidden"})
            self.client.request("hidden.call", {})
            before = self.living("hidden")
            self.assertEqual(len(before), 4, "two of the guard, the plugin, and what it hides")
            os.kill(find(self.record("hidden")["pid"]), signal.SIGKILL)
            self.assertTrue(eventually(lambda count=falls: len(self.ends("hidden")) > count))
            self.assertEqual(self.reasons("hidden"), ["signal:9"] * (falls + 1))
            self.assertTrue(eventually(lambda all=before: not set(all) & set(self.living("hidden"))))
        self.client.request("plugins.restart", {"id": "hidden"})
        self.client.request("hidden.call", {})
        self.daemon.kill()
        self.daemon.wait()
        self.assertTrue(eventually(lambda: not those_with(self.mark)), those_with(self.mark))


class KillTests(Hosted):
    """`kill -9` of a plugin under load."""

    def test_every_200_ms_under_load(self) -> None:
        for number in range(200):
            (self.root / f"{number}.num").write_text(str(number))
        self.client.sync(PATIENCE)
        answers, refusals, wrong, values = 0, 0, 0, 0
        ends = threading.Event()
        self.addCleanup(ends.set)

        def load(word: str) -> None:
            """Calls it, again and again."""
            nonlocal answers, refusals, wrong
            number = 0
            with Client(self.path) as client:
                while not ends.is_set():
                    number += 1
                    try:
                        answer = client.request("good.call", {"word": f"{word}{number}"}, timeout=PATIENCE)
                        answers += 1
                        wrong += answer != {"word": f"{word}{number}"}
                    except Refused as error:
                        refusals += 1
                        wrong += error.code != 1009
                        ends.wait(0.005)

        def edit() -> None:
            """Has files read, again and again, as they are new each time."""
            number = 0
            while not ends.wait(0.005):
                number += 1
                (self.root / f"{number % 200}.num").write_text(str(number % 200))

        def look() -> None:
            """Follows a list of what the files say."""
            nonlocal values, wrong
            fields = ["name", "good.number"]
            with LiveList(Query(sort=["-good.number"], fields=fields), self.path) as live:
                while not ends.is_set():
                    live.read(0.05)
                    known = [item for item in live.items if item.raw.get("good.number") is not None]
                    values += len(known)
                    wrong += sum(item.name != f"{item.raw['good.number']}.num" for item in known)

        pinger = Pinger(self)
        threads = [threading.Thread(target=load, args=(word,)) for word in "ab"]
        threads += [threading.Thread(target=edit), threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        kills = 0
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            next_kill = time.monotonic() + 0.2
            killed = self.living_plugins("good")
            for process in killed:
                os.kill(process, signal.SIGKILL)
                kills += 1
            self.assertTrue(eventually(lambda these=killed: not set(these) & set(self.living_plugins("good"))))
            if self.record("good")["state"] in ("quarantined", "backoff"):
                self.client.request("plugins.restart", {"id": "good"})
            ends.wait(max(next_kill - time.monotonic(), 0))
        # How many answers there are between two kills depends on how long a start takes; without kills they go on.
        self.client.request("plugins.restart", {"id": "good"})
        self.assertTrue(eventually(lambda: answers > kills), (answers, kills))
        ends.set()
        for thread in threads:
            thread.join(PATIENCE)
            # A request without an answer would keep it.
            self.assertFalse(thread.is_alive())
        print(
            f"# {kills} kills in {SECONDS} s: {answers} answers and {values} looks at values, {wrong} wrong, "
            f"{refusals} calls refused; {pinger.end()}"
        )
        self.assertEqual(wrong, 0)
        self.assertGreater(kills, 5)
        self.client.request("plugins.restart", {"id": "good"})
        self.goes_on()
        query = Query(sort=["good.number"], start=1, fields=["name", "good.number"])
        self.assertTrue(
            eventually(lambda: [i.raw.get("good.number") for i in self.client.items(query)] == list(range(200)))
        )

    def living_plugins(self, name: str) -> list[int]:
        guard = self.record(name).get("pid")
        try:
            return [plugin for inner in children(guard) for plugin in children(inner)] if guard else []
        except OSError:
            return []


def eventually_at(seconds: float) -> None:
    """Waits for a time that the daemon has named."""
    threading.Event().wait(seconds)


if __name__ == "__main__":
    BINARIES = os.path.realpath(sys.argv[1])
    SECONDS = float(os.environ.get("PICKERD_TEST_KILL_SECONDS", "5"))
    sys.exit(run(HostileTests, KillTests, about="hostile plugins"))

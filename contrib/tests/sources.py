#!/usr/bin/env python3
"""Sources of plugins over a daemon: lists of their items that follow them, kills, likes, what was used recently.

usage: contrib/tests/sources.py BINARIES
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib" / "clients")]

from pickerd import Client, Connection  # noqa: E402
from test_pickerd import PATIENCE, eventually, run  # noqa: E402

SHELF = '''#!/usr/bin/python3 -B
import json, os
from pickerd_plugin import Plugin
plugin = Plugin()
opened = []

@plugin.source("books")
def books():
    with open(os.environ["HOME"] + "/books.json") as file:
        return json.load(file)

# What the daemon said that it has, and whether that could be gone on from.
answer = books._open
def note(since):
    opened.append({"since": since, **answer(since)})
    return opened[-1]
books._open = note

@plugin.extract("book")
def book(file, want):
    return None

@plugin.method("shelf.put")
def put(params):
    books.put(params["items"])
    return {}

@plugin.method("shelf.remove")
def remove(params):
    books.remove(params["ids"])
    return {}

@plugin.method("shelf.fill")
def fill(params):
    books.put({"id": f"n{n}", "name": f"Volume {n}", "shelf.pages": n} for n in range(params["count"]))
    return {}

@plugin.method("shelf.facts")
def facts(params):
    return {"pid": os.getpid(), "opened": opened}

plugin.run()
'''
MANIFEST = {
    "id": "shelf", "name": "A shelf", "version": "1", "api": {"min": 1, "max": 1}, "exec": ["./shelf"],
    "sources": [{"name": "books", "title": "Books"}],
    "attributes": [{"name": "shelf.pages", "type": "integer", "for": ["not", ["true"]], "group": "book"}],
    "methods": [{"name": f"shelf.{name}"} for name in ("put", "remove", "fill", "facts")],
    "limits": {"callMs": 60000, "memoryMiB": 512},
}  # fmt: skip
BOOKS = [
    {"id": "a", "name": "Emma", "uri": "https://example.org/emma", "shelf.pages": 474},
    {"id": "b", "name": "Candide", "uri": "https://example.org/candide", "shelf.pages": 129},
    {"id": "c", "name": "Faust/II", "type": "text/plain"},
]
NAMES = ["Candide", "Emma", "Faust\u2215II"]
XBEL = """<?xml version="1.0" encoding="UTF-8"?>
<xbel version="1.0" xmlns:bookmark="http://www.freedesktop.org/standards/desktop-bookmarks">{}</xbel>"""


class List:
    """An open list of a collection, by a connection of its own."""

    def __init__(self, path: str, collection: str) -> None:
        self.connection = Connection(path)
        self.params = {"in": [collection], "sort": ["name"], "window": {"start": 0, "count": 50}}
        self.news = 0
        self.connection.on_notification = self._note
        self.connection.request("items.open", self.params)

    def _note(self, method: str, params: Any) -> None:
        self.news += method in ("items.reset", "items.delta")

    def names(self) -> list[str]:
        answer = self.connection.request("items.get", self.params)
        assert isinstance(answer, dict)
        return [item["name"] for item in answer["items"] if item["key"] != "new"]

    def total(self) -> int:
        answer = self.connection.request("items.get", {**self.params, "window": {"start": 0, "count": 0}})
        assert isinstance(answer, dict)
        return int(answer["total"]) - 1

    def until(self, expected: object, value: Callable[[], object]) -> None:
        """Waits until a value is as expected. Each change of it is told to the list."""
        deadline = time.monotonic() + PATIENCE
        while (now := value()) != expected:
            news = self.news
            while self.news == news:
                if not self.connection.pump(deadline):
                    raise AssertionError(f"it is {now}, and should be {expected}")

    def shows(self, *names: str) -> None:
        self.until(list(names), self.names)


class SourcesTest(unittest.TestCase):
    """A home with a shelf of books and a list of what was used recently, and a daemon."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(suffix="-pickerd-sources"))
        self.addCleanup(shutil.rmtree, self.home)
        for folder in ("root", "config/pickerd", "data", "plugins/shelf"):
            (self.home / folder).mkdir(parents=True)
        for name in ("one.txt", "two.txt"):
            (self.home / "root" / name).touch()
        (self.home / "config/pickerd/plugins.toml").write_text(
            "[shelf]\nenabled = true\n[recent]\nenabled = true\n"
        )
        (self.home / "books.json").write_text(json.dumps(BOOKS))
        shelf = self.home / "plugins/shelf"
        shutil.copy(PROJECT / "contrib/clients/pickerd_plugin.py", shelf)
        (shelf / "shelf").write_text(SHELF)
        (shelf / "shelf").chmod(0o755)
        (shelf / "plugin.json").write_text(json.dumps(MANIFEST))
        shutil.copytree(PROJECT / "contrib/plugins/recent", self.home / "plugins/recent")
        self.environment = {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "PICKERD_SOCKET": str(self.home / "sock"),
            "PICKERD_PLUGIN_PATH": str(self.home / "plugins"), "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"), "XDG_DATA_DIRS": str(self.home / "none"),
            "XDG_CACHE_HOME": str(self.home / "cache"), "PATH": f"{BINARIES}:{os.environ['PATH']}",
        }  # fmt: skip
        self.daemon: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.end)
        self.client = self.start()

    def start(self) -> Client:
        self.daemon = subprocess.Popen(
            [BINARIES + "/pickerd", self.home / "root", "--state", self.home / "state"],
            env=self.environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        client = Client(self.environment["PICKERD_SOCKET"])
        client.wait_for_daemon(PATIENCE)
        client.sync(PATIENCE)
        return client

    def end(self) -> None:
        if self.daemon:
            self.daemon.send_signal(signal.SIGTERM)
            self.daemon.wait()
            self.daemon = None

    def open(self, collection: str = "shelf:books") -> List:
        opened = List(self.environment["PICKERD_SOCKET"], collection)
        self.addCleanup(opened.connection.close)
        return opened

    def control(self, *arguments: str) -> list[str]:
        done = subprocess.run(
            ["pickerctl", *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def state(self) -> str:
        return next(plugin["state"] for plugin in self.client.plugins() if plugin["id"] == "shelf")

    def listed(self, *arguments: str, form: str = "{name}") -> list[str]:
        return self.control("list", "--in", "shelf:books", "--format", form, *arguments)

    def request(self, method: str, **params: Any) -> Any:
        return self.client.request(method, params)

    def collection(self, name: str) -> dict[str, Any]:
        return next(entry for entry in self.request("collections.list") if entry["collection"] == name)

    def get(self, **params: Any) -> list[dict[str, Any]]:
        answer = self.request("items.get", **{"in": ["shelf:books"], "sort": ["name"], **params})
        return [item for item in answer["items"] if item["key"] != "new"]

    def test_a_list_has_the_items_of_the_source_that_it_names(self) -> None:
        waiting = {"collection": "shelf:books", "kind": "source", "title": "Books"}
        self.assertEqual(
            self.collection("shelf:books"), {**waiting, "documents": 0, "state": "waiting"}
        )
        self.assertEqual(self.listed(), NAMES)
        self.assertEqual(
            self.collection("shelf:books"), {**waiting, "documents": 3, "state": "watching"}
        )
        self.assertEqual(self.control("list", "--format", "{name}"), ["one.txt", "two.txt"])
        self.assertEqual(self.client.info()["documents"], 2)
        self.assertEqual(self.request("documents.stats", **{"in": ["shelf:books"]})["count"], 3)
        both = ("--in", "documents")
        self.assertEqual(self.listed(*both), [*NAMES, "one.txt", "two.txt"])
        pages = ("--sort", "-shelf.pages", "--format", "{name} {uri}")
        emma, candide = (f"{book['name']} {book['uri']}" for book in BOOKS[:2])
        self.assertEqual(self.control("list", "--in", "shelf:books", *pages)[:2], [emma, candide])
        long = self.get(where=["attr", "shelf.pages", "gt", 200])
        self.assertEqual([item["name"] for item in long], ["Emma"])
        plain = self.get(where=["type", "text/plain"])
        self.assertEqual([item["name"] for item in plain], NAMES[2:])
        document = self.request("documents.get", key=long[0]["key"])
        self.assertEqual((document["uri"], document["root"]), (BOOKS[0]["uri"], "shelf:books"))
        # Without a path, where an item is stands in its place, whatever command lists it.
        places = [book.get("uri", "") for book in sorted(BOOKS, key=lambda book: str(book["name"]))]
        for command in (["list"], ["feed", "--size", "1"]):
            self.assertEqual(self.control(*command, "--in", "shelf:books", "--paths"), places)
        self.assertEqual(self.control("get", long[0]["key"], "--paths"), [BOOKS[0]["uri"]])

    def test_a_list_follows_the_source(self) -> None:
        shown = self.open()
        shown.shows(*NAMES)
        self.request("shelf.put", items=[{"id": "d", "name": "Emma"}, {**BOOKS[1], "name": "Zadig"}])
        shown.shows("Emma", "Emma", NAMES[2], "Zadig")
        self.request("shelf.remove", ids=["a", "c"])
        shown.shows("Emma", "Zadig")
        key = self.get()[0]["key"]
        self.request("shelf.put", items=[{"id": "d", "name": "Persuasion"}])
        shown.shows("Persuasion", "Zadig")
        self.assertEqual(self.get()[0]["key"], key)

    def test_items_stay_while_the_plugin_is_killed_and_comes_back(self) -> None:
        shown = self.open()
        shown.shows(*NAMES)
        keys = [item["key"] for item in self.get()]
        facts = self.request("shelf.facts")
        self.assertEqual([opening["since"] for opening in facts["opened"]], [None])
        with self.client_of_events("plugin.*") as events:
            os.kill(facts["pid"], signal.SIGKILL)
            events.until("plugin.exited")
            self.assertEqual([item["key"] for item in self.get()], keys)
            events.until("plugin.started")
        self.assertTrue(eventually(lambda: self.state() == "ready"), self.state())
        again = self.request("shelf.facts")
        self.assertNotEqual(again["pid"], facts["pid"])
        opening = again["opened"][-1]
        self.assertEqual((opening["since"], opening["resumed"]), (f"{opening['epoch']}:0", True))
        # It goes on from there.
        self.request("shelf.put", items=[{"id": "d", "name": "Dune"}])
        shown.shows("Candide", "Dune", *NAMES[1:])
        # What it has forgotten goes, now that it sends all.
        with self.client_of_events("plugin.*") as events:
            os.kill(again["pid"], signal.SIGKILL)
            events.until("plugin.started")
        shown.shows(*NAMES)
        self.assertFalse(self.request("shelf.facts")["opened"][-1]["resumed"])
        self.assertEqual([item["key"] for item in self.get()], keys)

    def test_many_items_and_likes_that_survive_a_restart(self) -> None:
        shown = self.open()
        shown.shows(*NAMES)
        self.request("shelf.fill", count=20_000)
        shown.until(20_003, shown.total)
        found = self.listed("volume 1999", "--sort", "shelf.pages")
        self.assertEqual(found, ["Volume 1999", *(f"Volume 1999{n}" for n in range(10))])
        emma = self.get(search="emma")[0]["key"]
        self.client.like(emma, True)
        self.client.drop(self.get(search="candide")[0]["key"])
        self.end()
        self.client = self.start()
        self.assertEqual(self.request("documents.stats", **{"in": ["documents"]})["count"], 2)
        self.assertEqual(self.listed(), NAMES[1:])
        self.assertEqual([item["name"] for item in self.get(where=["liked"])], ["Emma"])
        self.assertEqual([item["name"] for item in self.get(where=["dropped"])], ["Candide"])
        self.assertEqual(self.control("list", "--format", "{name}"), ["one.txt", "two.txt"])

    def test_one_that_is_switched_off_leaves_the_lists(self) -> None:
        shown = self.open()
        shown.shows(*NAMES)
        self.client.disable_plugin("shelf")
        shown.connection.pump(time.monotonic() + PATIENCE)
        self.client.enable_plugin("shelf")
        shown.shows(*NAMES)

    def test_what_was_used_recently_is_followed(self) -> None:
        shown = self.open("recent:recent")
        shown.shows()
        self.use("a.txt", "b%20b.md")
        shown.shows("a.txt", "b b.md")
        self.use("c.txt", "a.txt")
        shown.shows("a.txt", "c.txt")
        (self.home / "data/recently-used.xbel").unlink()
        shown.shows()

    def use(self, *names: str) -> None:
        """Replaces the list of what was used recently, as programs do."""
        entries = "".join(
            f'<bookmark href="file:///home/ann/{name}" added="2026-01-01T00:00:00Z" '
            'modified="2026-01-02T00:00:00Z" visited="2026-01-03T00:00:00Z"/>'
            for name in names
        )
        new = self.home / "data/recently-used.xbel.new"
        new.write_text(XBEL.format(entries))
        new.rename(self.home / "data/recently-used.xbel")

    def client_of_events(self, topic: str) -> Events:
        return Events(self.environment["PICKERD_SOCKET"], [topic])


class Events:
    """A subscription to events."""

    def __init__(self, path: str, topics: Sequence[str]) -> None:
        self.connection = Connection(path)
        self.told: list[str] = []
        self.connection.on_notification = lambda _, params: self.told.append(params.get("topic", ""))
        self.connection.request("events.subscribe", {"topics": list(topics)})

    def until(self, topic: str) -> None:
        """Waits for an event after those that were waited for before."""
        deadline = time.monotonic() + PATIENCE
        while topic not in self.told:
            if not self.connection.pump(deadline):
                raise AssertionError(f"{topic} was expected after {self.told}")
        del self.told[: self.told.index(topic) + 1]

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    BINARIES = str(Path(sys.argv[1]).resolve())
    sys.exit(run(SourcesTest, about="sources"))

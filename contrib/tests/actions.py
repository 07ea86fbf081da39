#!/usr/bin/env python3
"""Actions and visits over a daemon: those of plugins, on real files; the trash and the way back; kills.

usage: contrib/tests/actions.py BINARIES
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
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib" / folder) for folder in ("clients", "plugins", "plugins/image-strip")]

import imagestrip  # noqa: E402
from pickerd import Client, Connection, Query, Refused  # noqa: E402
from test_pickerd import PATIENCE, eventually, run  # noqa: E402
from test_plugins import iptc, jpeg, photoshop, segment, tiff  # noqa: E402

DEEDS = '''#!/usr/bin/python3 -B
import time
from pickerd_plugin import Plugin, PluginError
plugin = Plugin()

@plugin.action("append")
def append(file, args):
    if args.get("not") == file.key:
        raise PluginError("as was asked for")
    with open(file.path_bytes, "ab") as target:
        target.write(args["text"].encode())

@plugin.action("wait")
def wait(file, args):
    open(args["began"], "w").close()
    while not plugin.cancelled():
        time.sleep(0.002)

@plugin.action("fall")
def fall(file, args):
    import os
    os._exit(3)

plugin.run()
'''
MANIFEST = {
    "id": "deeds", "name": "Deeds", "version": "1", "api": {"min": 1, "max": 1}, "exec": ["./deeds"],
    "actions": [
        {"id": "append", "title": "Append", "many": True, "writes": True, "when": ["not", ["suffix", "jpg"]]},
        {"id": "wait", "title": "Wait"}, {"id": "fall", "title": "Fall"},
    ],
    "needs": {"write": ["roots"]}, "limits": {"callMs": 60000},
}  # fmt: skip


class Served(unittest.TestCase):
    """A home, a folder of documents in it, and a daemon that serves it."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(suffix="-pickerd-actions"))
        self.addCleanup(shutil.rmtree, self.home)
        self.root = self.home / "root"
        for folder in ("root", "bin", "config/pickerd", "data/applications", "plugins/deeds"):
            (self.home / folder).mkdir(parents=True)
        (self.home / "config/pickerd/plugins.toml").write_text(
            "[deeds]\nenabled = true\n[image-strip]\nenabled = true\n"
        )
        shutil.copytree(PROJECT / "contrib/plugins/image-strip", self.home / "plugins/image-strip")
        deeds = self.home / "plugins/deeds"
        shutil.copy(PROJECT / "contrib/clients/pickerd_plugin.py", deeds)
        self.program(deeds / "deeds", DEEDS)
        (deeds / "plugin.json").write_text(json.dumps(MANIFEST))
        self.environment = {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "PICKERD_SOCKET": str(self.home / "sock"),
            "PICKERD_PLUGIN_PATH": str(self.home / "plugins"), "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"), "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_DATA_DIRS": "/usr/share",
            "PATH": f"{self.home}/bin:{BINARIES}:{os.environ['PATH']}",
        }  # fmt: skip
        self.daemon: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.end)

    def program(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def start(self) -> Client:
        self.daemon = subprocess.Popen(
            [BINARIES + "/pickerd", self.root, "--state", self.home / "state"],
            env=self.environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        client = Client(self.environment["PICKERD_SOCKET"])
        client.wait_for_daemon(PATIENCE)
        client.sync(PATIENCE)
        return client

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.daemon:
            self.daemon.send_signal(how)
            self.daemon.wait()
            self.daemon = None
            if how == signal.SIGKILL:
                os.unlink(self.environment["PICKERD_SOCKET"])

    def control(self, *arguments: str | bytes, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["pickerctl", *arguments], env=self.environment, cwd=self.root, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def names(self) -> list[bytes]:
        return sorted(os.listdir(os.fsencode(self.root)))

    def visited(self, client: Client) -> int:
        return int(client.request("daemon.info")["feed"]["visited"])


class PluginActionTests(Served):
    """By plugins in Python."""

    def test_metadata_is_removed_and_the_key_and_likes_stay(self) -> None:
        block = b"Exif\0\0" + tiff([(0x10F, 2, "Maker")], gps=[(1, 2, "N")])
        tracked = photoshop(iptc((40, b"FBMD01000a9")))
        images = {
            name: jpeg(64, 48, segment(0xE1, block), segment(0xED, tracked), segment(0xFE, name.encode()))
            for name in ("a.jpg", "b b.jpg", "-c.jpg")
        }
        for name, data in images.items():
            (self.root / name).write_bytes(data)
        client = self.start()
        keys = {name: client.document(path=name).key for name in images}
        client.like(keys["a.jpg"], True)
        client.visited(keys["a.jpg"])
        listed = self.control("actions", "--", *images).stdout
        self.assertIn("image-strip.strip", listed)
        self.assertNotIn("deeds.append", listed)
        refused = self.control("actions", "--run", "image-strip.strip", "a.jpg", status=1)
        self.assertIn("confirm", refused.stderr)
        self.assertEqual((self.root / "a.jpg").read_bytes(), images["a.jpg"])
        self.control("actions", "--run", "image-strip.strip", "--confirm", "--", *images)
        client.sync(PATIENCE)
        for name, data in images.items():
            left = (self.root / name).read_bytes()
            self.assertEqual(left, imagestrip.strip(data).data)
            self.assertTrue(len(left) < len(data) and b"FBMD" not in left and b"Maker" not in left)
            self.assertEqual(client.document(path=name).key, keys[name])
        self.assertTrue(client.document(path="a.jpg").liked)
        self.assertEqual(self.visited(client), 1)
        (self.root / "no.jpg").write_bytes(b"no image")
        done = self.control("actions", "--run", "image-strip.strip", "--confirm", "no.jpg", "a.jpg", status=1)
        self.assertIn("no.jpg: it is neither a JPEG", done.stderr)

    def test_an_action_in_python_gets_paths_arguments_and_says_what_failed(self) -> None:
        raw = b"\xff\n$(x).txt"
        for name in (b"a.txt", b"b.txt", raw):
            (self.root / os.fsdecode(name)).write_text("1")
        client = self.start()
        keys = [item.key for item in client.items(Query(sort=["path"])) if item.key != "new"]
        self.assertEqual(len(keys), 3)
        told: list[dict[str, Any]] = []
        connection = Connection(client.path)
        self.addCleanup(connection.close)
        connection.on_notification = lambda method, params: told.append(params)
        params = {"action": "deeds.append", "keys": keys, "args": {"text": "2", "not": keys[1]},
                  "confirm": True, "progress": True}  # fmt: skip
        items = connection.answer(connection.send("actions.run", params))["items"]
        self.assertEqual([item.get("error") for item in items], [None, "as was asked for", None])
        self.assertEqual((told[-1]["done"], told[-1]["total"]), (3, 3))
        texts = sorted((self.root / os.fsdecode(name)).read_text() for name in self.names())
        self.assertEqual(texts, ["1", "12", "12"])

    def test_a_run_that_nobody_waits_for_is_cancelled_at_the_plugin(self) -> None:
        (self.root / "a.txt").write_text("1")
        client = self.start()
        key = client.document(path="a.txt").key
        for number in range(2):
            began = self.home / f"began{number}"
            params = {"action": "deeds.wait", "keys": [key], "args": {"began": str(began)}}
            with Connection(client.path) as connection:
                request = connection.send("actions.run", params)
                self.assertTrue(eventually(began.exists), "the one before was cancelled, and made room")
                connection.notify("$/cancel", {"id": request})
                with self.assertRaises(Refused) as caught:
                    connection.answer(request)
                self.assertEqual(caught.exception.kind, "cancelled")
        items = client.act("deeds.append", [key], {"text": "2"}, confirm=True)
        self.assertEqual(items, [{"key": key, "ok": True}])

    def test_a_plugin_that_falls_is_said(self) -> None:
        (self.root / "a.txt").write_text("1")
        client = self.start()
        with self.assertRaises(Refused) as caught:
            client.act("deeds.fall", [client.document(path="a.txt").key])
        self.assertEqual(caught.exception.code, 1009)


class DesktopTests(Served):
    """By the programs of the desktop, or by some in their place."""

    HOSTILE = (b"-rf", b"a\nb.txt", b"\xff\xfe.txt", b"$HOME $(x) `y` 'z' \"q\"", b"%41%.txt", b"a#b?c;d&e",
               b"$$", "ä 日本.md".encode(), b"x" * 245)  # fmt: skip

    def test_the_trash_and_the_way_back_lose_nothing(self) -> None:
        for name in self.HOSTILE:
            (self.root / os.fsdecode(name)).write_bytes(name)
        client = self.start()
        before = {item.key for item in client.items()}
        client.like(client.document(path="-rf").key, True)
        printed = self.control("trash", "--", *self.HOSTILE).stdout
        client.sync(PATIENCE)
        self.assertEqual((self.names(), len(client.items())), ([], 1))
        uris = [line.rpartition(" --undo ")[2] for line in printed.splitlines()]
        self.assertEqual(len(uris), len(self.HOSTILE), printed)
        subprocess.run(
            ["sh", "-e", "-c", "\n".join(f"pickerctl trash --undo {uri}" for uri in uris)],
            env=self.environment, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        client.sync(PATIENCE)
        self.assertEqual(self.names(), sorted(self.HOSTILE))
        for name in self.HOSTILE:
            self.assertEqual((self.root / os.fsdecode(name)).read_bytes(), name)
        self.assertEqual({item.key for item in client.items()}, before)
        self.assertTrue(client.document(path="-rf").liked)
        self.assertEqual(os.listdir(self.home / "data/Trash/info"), [])

    def test_what_the_trash_does_not_take_stays(self) -> None:
        name = "x" * 255  # the text that the trash has beside a file would have a longer name
        (self.root / name).write_text("kept")
        self.start()
        self.assertIn("gio trash", self.control("trash", name, status=1).stderr)
        self.assertEqual((self.root / name).read_text(), "kept")

    def test_many_of_one_name_are_told_apart(self) -> None:
        folders = [self.root / str(number) for number in range(100)]
        for folder in folders:
            folder.mkdir()
            (folder / "a.tar.gz").write_text(folder.name)
        client = self.start()
        keys = [item.key for item in client.items() if item.key != "new"]
        items = client.act("documents.trash", keys, confirm=True)
        uris = [str(item["uri"]) for item in items]
        self.assertEqual(len(set(uris)), 100)
        (self.root / "7/a.tar.gz").write_text("new")
        (self.root / "8").rmdir()
        back = client.act("documents.untrash", [], {"uris": uris}, confirm=True)
        self.assertEqual(sum("error" in item for item in back), 2, back)
        for folder in folders:
            if folder.name != "8":
                text = (folder / "a.tar.gz").read_text()
                self.assertEqual(text, "new" if folder.name == "7" else folder.name)
        kept = {path.read_text() for path in (self.home / "data/Trash/files").iterdir()}
        self.assertEqual(kept, {"7", "8"})

    def test_a_document_is_opened_by_its_application_which_counts_as_a_visit(self) -> None:
        self.program(self.home / "bin/reader", f'#!/bin/sh\nprintf "%s\\0" "$@" >>"{self.home}/opened"\n')
        (self.home / "data/applications/reader.desktop").write_text(
            "[Desktop Entry]\nType=Application\nName=Reader\nExec=reader %f\nMimeType=text/plain;\n"
        )
        (self.home / "config/mimeapps.list").write_text("[Default Applications]\ntext/plain=reader.desktop\n")
        (self.root / "-a $b.txt").write_text("1")
        (self.root / "b.unheard-of").write_bytes(b"\0\1\2")
        client = self.start()
        done = self.control("open", "--", "-a $b.txt", "b.unheard-of", status=1)
        self.assertIn("b.unheard-of: gio open: ", done.stderr)
        opened = self.home / "opened"
        self.assertTrue(eventually(lambda: opened.exists() and opened.read_bytes() != b""))
        self.assertEqual(opened.read_bytes(), os.fsencode(self.root / "-a $b.txt") + b"\0")
        self.assertTrue(eventually(lambda: self.visited(client) == 1))

    def test_documents_are_shown_by_one_call_of_the_file_manager(self) -> None:
        self.program(self.home / "bin/gdbus", f'#!/bin/sh\nprintf "%s\\0" "$@" >>"{self.home}/called"\n')
        for name in ("a'b.txt", "c d.txt"):
            (self.root / name).write_text("1")
        self.start()
        self.control("reveal", "a'b.txt", "c d.txt")
        words = (self.home / "called").read_bytes().split(b"\0")
        uris = [f"'file://{self.root}/{name}'" for name in ("a%27b.txt", "c%20d.txt")]
        self.assertEqual(words[-3:], [f"[{','.join(uris)}]".encode(), b"", b""])


class VisitTests(Served):
    """Of many documents, and by a daemon that is killed."""

    def test_visits_that_were_answered_survive_a_kill_within_a_transaction(self) -> None:
        for number in range(400):
            (self.root / f"{number}.md").write_text(str(number))
        for _ in range(3):
            client = self.start()
            before = self.visited(client)
            keys = [item.key for item in client.items(Query(sort=["path"])) if item.key != "new"]
            connection = Connection(client.path)
            self.addCleanup(connection.close)
            numbers = [connection.send("items.visited", {"key": key}) for key in keys[before:]]
            for number in numbers[:50]:
                connection.answer(number)
            self.end(signal.SIGKILL)
            client = self.start()
            self.assertGreaterEqual(self.visited(client), min(400, before + 50))
            self.assertNotIn("degraded", client.request("daemon.info")["feed"])
            self.end()

    def test_ten_thousand_visits_and_a_restart(self) -> None:
        for number in range(10_000):
            (self.root / f"{number}.md").touch()
        client = self.start()
        keys = [item.key for page in range(10) for item in self.page(client, page)]
        self.assertEqual(len(keys), 10_000)
        began = time.monotonic()
        for start in range(0, 10_000, 1000):
            client.visited(*keys[start : start + 1000])
        took = time.monotonic() - began
        self.assertEqual(self.visited(client), 10_000)
        for how in (signal.SIGTERM, signal.SIGKILL):
            self.end(how)
            began = time.monotonic()
            client = self.start()
            self.assertEqual(self.visited(client), 10_000)
        print(f"# 10,000 visits in {took:.2f} s, restarted in {time.monotonic() - began:.2f} s")

    def page(self, client: Client, number: int) -> list[Any]:
        return client.items(Query(sort=["path"], start=1 + number * 1000, count=1000))


if __name__ == "__main__":
    BINARIES = os.path.realpath(sys.argv[1])
    sys.exit(run(PluginActionTests, DesktopTests, VisitTests, about="actions"))

#!/usr/bin/env python3
"""Attributes that a plugin reads although nobody asks: the setting, the cache, kills, restarts.

usage: contrib/tests/background.py BINARIES
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib" / "clients")]

from pickerd import Client  # noqa: E402
from test_pickerd import PATIENCE, eventually, run  # noqa: E402

SIZES = '''#!/usr/bin/python3 -B
import os
from pickerd_plugin import Plugin
plugin = Plugin()

@plugin.extract("sizes")
def sizes(file, want):
    with open(os.environ["HOME"] + "/asked", "a") as log:
        log.write(os.path.basename(file.path) + "\\n")
    return {"sizes.bytes": file.size}

@plugin.method("sizes.pid")
def pid(params):
    return {"pid": os.getpid()}

plugin.run()
'''
MANIFEST = {
    "id": "sizes", "name": "Sizes", "version": "1", "api": {"min": 1, "max": 1}, "exec": ["./sizes"],
    "attributes": [{"name": "sizes.bytes", "type": "integer", "for": ["suffix", ["dat"]], "group": "sizes"}],
    "methods": [{"name": "sizes.pid"}],
}  # fmt: skip
FILES = 500


class BackgroundTest(unittest.TestCase):
    """A home with a plugin that notes which files it is asked about, and a daemon."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(suffix="-pickerd-background"))
        self.addCleanup(shutil.rmtree, self.home)
        plugin = self.home / "plugins/sizes"
        for folder in ("root", "config/pickerd", "data", "plugins/sizes"):
            (self.home / folder).mkdir(parents=True)
        for number in range(FILES):
            self.write(f"{number}.dat", number)
        self.write("other.txt", 3)
        shutil.copy(PROJECT / "contrib/clients/pickerd_plugin.py", plugin)
        (plugin / "sizes").write_text(SIZES)
        (plugin / "sizes").chmod(0o755)
        (plugin / "plugin.json").write_text(json.dumps(MANIFEST))
        self.environment = {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "PICKERD_SOCKET": str(self.home / "sock"),
            "PICKERD_PLUGIN_PATH": str(self.home / "plugins"), "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"), "XDG_DATA_DIRS": str(self.home / "none"),
            "XDG_CACHE_HOME": str(self.home / "cache"), "PATH": os.environ["PATH"],
        }  # fmt: skip
        self.daemon: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.end)
        self.choose(False)
        self.client = self.start()

    def write(self, name: str, size: int) -> None:
        (self.home / "root" / name).write_bytes(b"x" * size)

    def choose(self, is_background: bool) -> None:
        (self.home / "config/pickerd/plugins.toml").write_text(
            f"[sizes]\nenabled = true\nbackground = {str(is_background).lower()}\n"
        )

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

    def control(self, *arguments: str) -> str:
        done = subprocess.run(
            [BINARIES + "/pickerctl", *arguments], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    @property
    def asked(self) -> list[str]:
        """The names of the files that the plugin was asked about, in order."""
        log = self.home / "asked"
        return log.read_text().splitlines() if log.exists() else []

    def until_asked(self, count: int) -> None:
        self.assertTrue(eventually(lambda: len(self.asked) >= count), f"{len(self.asked)} of {count}")

    def record(self) -> dict[str, Any]:
        return next(entry for entry in self.client.request("plugins.list") if entry["id"] == "sizes")

    def test_the_setting_is_followed_and_all_is_in_the_cache(self) -> None:
        self.assertEqual((self.record()["state"], self.record().get("background")), ("waiting", None))
        self.choose(True)
        self.control("reload")
        self.assertTrue(self.record()["background"])
        self.assertIn("background", self.control("plugins", "info", "sizes"))
        names = sorted(f"{number}.dat" for number in range(FILES))
        self.until_asked(FILES)
        self.assertEqual(sorted(self.asked), names)
        # A file that is written, and a new one.
        self.write("3.dat", 1003)
        self.write("new.dat", 1004)
        self.until_asked(FILES + 2)
        self.assertEqual(sorted(self.asked[FILES:]), ["3.dat", "new.dat"])
        attribute = next(
            entry for entry in self.client.request("attributes.list") if entry["name"] == "sizes.bytes"
        )
        self.assertEqual([attribute[name] for name in ("known", "pending", "failed")], [0, 0, 0])
        # After a restart a list has all values, and the plugin was asked for none.
        self.end()
        self.client = self.start()
        sizes = self.client.request(
            "items.get", {"sort": ["-sizes.bytes"], "window": {"start": 0, "count": 3}}
        )
        shown = [(item["name"], item["sizes.bytes"]) for item in sizes["items"] if item["key"] != "new"]
        self.assertEqual(shown[:2], [("new.dat", 1004), ("3.dat", 1003)])
        self.assertEqual(len(self.asked), FILES + 2)
        self.assertEqual(self.record()["state"], "waiting")

    def test_a_plugin_that_is_killed_meanwhile_reads_the_rest(self) -> None:
        self.choose(True)
        self.control("reload")
        for count in (64, 192):
            self.until_asked(count)
            os.kill(self.client.request("sizes.pid", {})["pid"], signal.SIGKILL)
        names = {f"{number}.dat" for number in range(FILES)}
        self.assertTrue(eventually(lambda: set(self.asked) == names), f"{len(set(self.asked))}")
        # Two batches were lost, and nothing else was read twice.
        self.assertLessEqual(len(self.asked), FILES + 2 * 64)
        self.choose(False)
        self.control("reload")
        self.assertNotIn("background", self.record())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    BINARIES = str(Path(sys.argv[1]).resolve())
    sys.exit(run(BackgroundTest, about="background"))

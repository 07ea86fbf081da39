#!/usr/bin/env python3
"""Tests of the kit for those who write plugins: pickerctl plugin check, new and run, installed plugins, the schema.

Each fault of faulty_plugin.py must be found by its own check, and by no other.

usage: contrib/tests/kit.py BINARIES
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(PROJECT / "contrib" / "clients")]

from examples import Place  # noqa: E402
from test_pickerd import run  # noqa: E402

PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))
BINARIES = Path(".")

MANIFEST: dict[str, Any] = {
    "id": "kit", "name": "A plugin of the tests", "version": "1", "api": {"min": 1, "max": 1},
    "exec": ["./kit"],
    "attributes": [
        {"name": f"text.{what}", "type": "integer", "group": "text", "for": ["suffix", ["txt", "md"]]}
        for what in ("lines", "words")
    ],
    "methods": [
        {"name": "kit.count", "params": {"type": "object", "required": ["text"]},
         "result": {"type": "object", "properties": {"words": {"type": "integer"}}}},
        {"name": "kit.ask", "result": {"type": "object"}},
    ],
    "sources": [{"name": "all", "title": "All"}], "actions": [{"id": "touch", "title": "Touch"}],
    # More than the daemon's default, for machines that do much else.
    "limits": {"callMs": 3000},
}  # fmt: skip

#: The fault, and a part of the name of the check that must fail.
FAULTS = {
    "answers nothing": "it answers plugin.hello",
    "has no version": "it answers plugin.hello",
    "claims version 0": "version 0",
    "claims version 99": "version 99",
    "dies of unknown members": "members that it does not know",
    "answers no pings": "it answers plugin.ping",
    "takes one line at a time": "two requests in one write",
    "dies of single bytes": "byte by byte",
    "dies of long lines": "1 MiB",
    "knows no code": "-32601",
    "knows every method": "-32601",
    "answers notifications": "unknown notification",
    "dies of a late cancel": "$/cancel of what is over",
    "refuses settings": "takes settings",
    "has results of other types": "kit.count answers",
    "waits for its own call alone": "while it waits for its own call",
    "reads nothing": "without an error",
    "sees what is missing": "a missing file",
    "dies of an empty file": "an empty file",
    "dies of half a file": "half a file",
    "waits for a pipe": "a named pipe",
    "reads sockets": "a socket",
    "reads folders": "a folder",
    "knows UTF-8 only": "not UTF-8",
    "reads all of a huge file": "5 GB",
    "answers in another order": "256 files",
    "has values of other types": "form and the types",
    "has values of other names": "form and the types",
    "lies about what it saw": "'seen' is the file",
    "looks at the path afterwards": "replaced while it is read",
    "answers what is not wanted": "only what is wanted",
    "answers otherwise each time": "same values",
    "can't be cancelled": "cancelled is over",
    "takes more and more memory": "10,000 files",
    "sends no items": "the source all",
    "has items without a name": "the source all",
    "has items with long URIs": "the source all",
    "has items of 100 KiB": "the source all",
    "begins with the second chunk": "the source all",
    "sends all in one chunk": "the source all",
    "resumes from nothing": "the source all",
    "does what can't be done": "gone",
    "sends what is no JSON": "each line",
    "answers twice": "each line",
    "prints on standard output": "standard output",
    "stays after plugin.stop": "plugin.stop",
    "stays after the socket": "descriptor 3 is closed",
    "ignores TERM": "SIGTERM",
}


class KitTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(suffix="-pickerd-kit"))
        self.addCleanup(shutil.rmtree, self.folder)
        # Nothing of this machine's own: no daemon, no plugins.
        self.environment = {
            "HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "TMPDIR": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder),
        }  # fmt: skip

    def place(self, binaries: Path | None = None) -> Place:
        """A home with a daemon's binaries, that sees no plugins of this machine."""
        place = Place(str(binaries or BINARIES), {})
        place.environment["XDG_DATA_DIRS"] = str(place.folder / "none")
        return place

    def plugin(self, fault: str = "none", manifest: dict[str, Any] | None = None) -> Path:
        """A folder with the plugin of this fault."""
        folder = self.folder / "kit"
        folder.mkdir(exist_ok=True)
        text = (HERE / "faulty_plugin.py").read_text()
        self.assertIn('FAULT = "none"', text)
        program = folder / "kit"
        program.write_text(text.replace('FAULT = "none"', f"FAULT = {fault!r}"))
        program.chmod(0o755)
        (folder / "plugin.json").write_text(json.dumps(manifest or MANIFEST))
        for path in (folder, program, folder / "plugin.json"):
            path.chmod(path.stat().st_mode & ~0o022)
        return folder

    def control(
        self, *arguments: str | Path, status: int | None = 0, binaries: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [(binaries or BINARIES) / "pickerctl", *arguments], env=self.environment, cwd=self.folder,
            text=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def check(self, *arguments: str | Path, status: int | None = None) -> tuple[list[str], list[str], list[str]]:
        """Runs pickerctl plugin check: the names of what passed, of what failed, and of what was skipped."""
        done = self.control("plugin", "check", *arguments, status=status)
        results: dict[str, list[str]] = {"ok": [], "not ok": [], "skip": []}
        numbers = []
        for line in done.stdout.splitlines():
            if found := re.fullmatch(r"(ok|not ok) (\d+) - (.*?)( # SKIP .+)?", line):
                numbers.append(int(found[2]))
                results["skip" if found[4] else found[1]].append(found[3])
            else:
                self.assertRegex(line, r"^(# |1\.\.\d+$)")
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertIn(f"1..{len(numbers)}\n", done.stdout)
        words = f"# {len(results['ok'])} passed, {len(results['not ok'])} failed"
        self.assertTrue(done.stdout.splitlines()[-1].startswith(words), done.stdout)
        self.assertEqual(done.returncode, 1 if results["not ok"] else 0, done.stdout + done.stderr)
        self.said = done.stdout
        return results["ok"], results["not ok"], results["skip"]


class CheckTest(KitTest):
    calls: Sequence[str] = ("--call", 'kit.count {"text":"a b"}', "--call", "kit.ask", "--patience", "2")

    def test_a_plugin_without_faults_passes_all_checks(self) -> None:
        passed, failed, skipped = self.check(self.plugin(), *self.calls)
        self.assertEqual(failed, [], self.said)
        self.assertGreaterEqual(len(passed), 38)
        if os.geteuid() == 0:
            skipped = [name for name in skipped if "unreadable" not in name]
        self.assertEqual(skipped, [])

    def test_each_fault_is_found_by_its_check_and_by_no_other(self) -> None:
        faults = set(re.findall(r'FAULT (?:==|!=) "([^"]+)"', (HERE / "faulty_plugin.py").read_text()))
        faults |= {"claims version 0", "claims version 99", "knows no code"}
        self.assertEqual(faults - set(FAULTS) - HARMLESS, set())
        for fault, check in FAULTS.items():
            with self.subTest(fault):
                _, failed, _ = self.check(self.plugin(fault), *self.calls)
                self.assertEqual(len(failed), 1, self.said)
                self.assertIn(check, failed[0])

    def test_what_prints_on_standard_error_or_needs_a_daemon_has_no_fault(self) -> None:
        for fault in ("prints on standard error", "wants the daemon"):
            with self.subTest(fault):
                _, failed, skipped = self.check(self.plugin(fault), *self.calls)
                self.assertEqual(failed, [])
                self.assertEqual("kit.ask answers as plugin.json says" in skipped, fault == "wants the daemon")

    def test_a_plugin_that_leaves_files_out_is_told_how_many_there_must_be(self) -> None:
        _, failed, _ = self.check(self.plugin("leaves files out"), *self.calls)
        self.assertIn("text: 256 files of all kinds are answered, each in its place", failed)
        self.assertIn("'files', an array of 64 entries", self.said)

    def test_a_plugin_that_can_not_be_run_has_one_failure(self) -> None:
        folder = self.plugin()
        (folder / "kit").chmod(0o644)
        self.assertEqual(self.check(folder), ([], ["plugin.json is right, and the program may be run"], []))
        self.assertIn("is not executable", self.said)
        (folder / "kit").chmod(0o755)
        (folder / "plugin.json").write_text('{"id":"kit","api":{"min":1,"max":1},\n"name":5}')
        self.check(folder)
        self.assertIn("# plugin.json, line 2: 'name' must be", self.said)
        self.assertEqual(self.control("plugin", "check", self.folder / "nothing", status=1).stdout, "")

    def test_what_a_plugin_does_not_contribute_is_skipped_and_said(self) -> None:
        small = {name: MANIFEST[name] for name in ("id", "name", "version", "api", "exec")}
        folder = self.plugin("none", small)
        program = folder / "kit"
        # It may not claim to provide more than plugin.json says.
        program.write_text(program.read_text().replace('["extract", "source", "action", "method"]', "[]"))
        passed, failed, skipped = self.check(folder)
        self.assertEqual(failed, [], self.said)
        self.assertEqual(len(skipped), 5, self.said)
        for what in ("attributes", "methods", "sources", "actions"):
            self.assertIn(f"# SKIP it contributes no {what}", self.said)

    def test_given_files_are_read_too(self) -> None:
        given = self.folder / "given"
        (given / "below").mkdir(parents=True)
        (given / "below" / "a.txt").write_text("a b c\n")
        _, failed, _ = self.check(self.plugin(), "--files", given, *self.calls)
        self.assertEqual(failed, [])
        # Half a file has no values there, and this one is none that was made.
        (given / "below" / "a.txt").write_text("a b c")
        _, failed, _ = self.check(self.plugin("dies of half a file"), "--files", given, *self.calls)
        self.assertIn("text: 256 files of all kinds are answered, each in its place", failed)

    def test_a_record_is_replayed_and_a_changed_answer_is_found(self) -> None:
        folder, record = self.plugin(), self.folder / "record"
        self.check(folder, "--record", record, *self.calls)
        self.assertFalse("pickerctl-plugin" in record.read_text(), "a path of this run is in the record")
        for line in record.read_text().splitlines():
            json.loads(line)
        passed, failed, _ = self.check(folder, "--replay", record)
        self.assertEqual(failed, [], self.said)
        self.assertGreater(len(passed), 4)
        program = folder / "kit"
        program.write_text(program.read_text().replace("len(params[\"text\"].split())", "7"))
        _, failed, _ = self.check(folder, "--replay", record)
        self.assertEqual(len(failed), 1, self.said)
        self.assertIn('# kit.count is answered with: {"words":7}', self.said)
        record.write_text("{}\n")
        done = self.control("plugin", "check", folder, "--replay", record, status=1)
        self.assertIn("line 1 of the record", done.stderr)

    def test_no_process_and_no_file_is_left(self) -> None:
        self.check(self.plugin(), *self.calls)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["kit"])
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                self.assertNotIn(str(self.folder).encode(), process.read_bytes())
            except OSError:  # it has ended
                continue


#: Words of faulty_plugin.py that are no faults of FAULTS.
HARMLESS = {"prints on standard error", "wants the daemon", "leaves files out"}


class NewTest(KitTest):
    def setUp(self) -> None:
        super().setUp()
        # As it is installed.
        self.prefix = self.folder / "prefix"
        (self.prefix / "bin").mkdir(parents=True)
        shutil.copy(BINARIES / "pickerctl", self.prefix / "bin")
        self.kit = self.prefix / "share" / "pickerd" / "python" / "pickerd_plugin.py"
        self.kit.parent.mkdir(parents=True)
        shutil.copy(PROJECT / "contrib" / "clients" / "pickerd_plugin.py", self.kit)
        self.sources = self.prefix / "share" / "pickerd" / "swift-package"
        self.sources.write_text(f"{PROJECT}\n")

    def new(self, *arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        return self.control("plugin", "new", *arguments, status=status, binaries=self.prefix / "bin")

    def test_a_new_plugin_passes_all_checks(self) -> None:
        os.umask(0)  # others may not write it, whatever the umask is
        self.addCleanup(os.umask, 0o022)
        said = self.new("python", self.folder / "plugins" / "word-count").stdout
        self.assertIn("plugin check", said)
        os.umask(0o022)
        folder = self.folder / "plugins" / "word-count"
        self.assertEqual(
            sorted(path.name for path in folder.iterdir()), ["pickerd_plugin.py", "plugin.json", "word-count"]
        )
        _, failed, skipped = self.check(folder, "--call", 'word-count.count {"text":"a b"}')
        self.assertEqual(failed, [], self.said)
        self.assertLessEqual(len(skipped), 4)

    @unittest.skipUnless(shutil.which("swift"), "swift is missing")
    def test_a_new_plugin_in_swift_is_built_and_passes_all_checks(self) -> None:
        folder = self.folder / "plugins" / "line-count"
        said = self.new("swift", folder).stdout
        self.assertIn(f"{folder}/build.sh\n", said)
        self.assertEqual(
            sorted(path.name for path in folder.iterdir()), ["Package.swift", "Sources", "build.sh", "plugin.json"]
        )
        self.assertIn("its program './line-count' is missing", self.control("plugin", "check", folder, status=1).stdout)
        # What a build costs is not what is tested; and Swift has what it fetched in this machine's home.
        built = subprocess.run(
            [folder / "build.sh", "-c", "debug"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=3 * PATIENCE, check=False,
        )  # fmt: skip
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertNotIn("warning", built.stdout)
        _, failed, skipped = self.check(folder)
        self.assertEqual(failed, [], self.said)
        self.assertLessEqual(len(skipped), 6)
        (self.folder / "a.txt").write_text("one\ntwo\n")
        said = self.control("plugin", "run", folder, "a.txt", "--json", "--no-trace").stdout
        self.assertEqual(json.loads(said)["values"], {"text.lines": 2})

    def test_a_plugin_in_swift_needs_the_sources(self) -> None:
        odd = self.folder / 'a "b" \\(c)'
        odd.mkdir()
        (odd / "Package.swift").touch()
        self.sources.write_text(f"{odd}\n")
        self.new("swift", self.folder / "odd")
        written = (self.folder / "odd" / "Package.swift").read_text()
        self.assertIn(str(odd).replace("\\", "\\\\").replace('"', '\\"'), written)
        for place, words in [(f"{self.folder}/gone\n", "are no more at"), (None, "is not known")]:
            self.sources.unlink()
            if place:
                self.sources.write_text(place)
            said = self.new("swift", self.folder / "without", status=1).stderr
            self.assertIn(words, said)
            self.assertIn("contrib/install --plugins", said)
            self.assertFalse((self.folder / "without").exists())

    def test_what_can_not_be_made_is_refused_and_nothing_is_made(self) -> None:
        self.assertIn("there is one in python and in swift", self.new("cobol", "x", status=2).stderr)
        for name in ("Big", "a_b", "9", "x" * 33, "items", "ä"):
            self.new("python", self.folder / name, status=1)
            self.assertFalse((self.folder / name).exists())
        full = self.folder / "full"
        full.mkdir()
        (full / "thing").touch()
        self.assertIn("has something in it", self.new("python", full, status=1).stderr)
        self.assertEqual([path.name for path in full.iterdir()], ["thing"])
        self.kit.unlink()
        said = self.new("python", self.folder / "without", status=1).stderr
        self.assertIn(str(self.kit), said)
        self.assertIn("contrib/install --plugins", said)

    def test_the_folder_one_is_in_will_do(self) -> None:
        (self.folder / "here").mkdir()
        done = subprocess.run(
            [self.prefix / "bin" / "pickerctl", "plugin", "new", "python", "."], cwd=self.folder / "here",
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        self.assertIn("'here'", done.stdout)
        self.assertTrue((self.folder / "here" / "here").exists())


class RunTest(KitTest):
    def test_files_have_their_values_printed(self) -> None:
        (self.folder / "a.txt").write_text("one two\nthree\n")
        done = self.control("plugin", "run", self.plugin(), "a.txt", "none.txt", status=1)
        self.assertIn("none.txt", done.stderr)
        (self.folder / "b.txt").write_text("")
        done = self.control("plugin", "run", self.plugin(), "a.txt", self.folder)
        self.assertEqual(
            done.stdout,
            f"{self.folder}/a.txt\n  text.lines = 2\n  text.words = 3\n"
            f"{self.folder}\n  error: it is no file\n",
        )
        self.assertRegex(done.stderr, r'(?m)^→ \{.*"plugin\.hello"')
        self.assertRegex(done.stderr, r'(?m)^← \{.*"text\.lines": ?2')
        done = self.control("plugin", "run", self.plugin(), "a.txt", "--json", "--no-trace")
        self.assertEqual(json.loads(done.stdout)["values"], {"text.lines": 2, "text.words": 3})
        self.assertEqual(done.stderr, "")

    def test_methods_are_called(self) -> None:
        done = self.control("plugin", "run", self.plugin(), "--call", 'kit.count {"text":"a b c"}', "--no-trace")
        self.assertEqual(json.loads(done.stdout), {"words": 3})
        done = self.control("plugin", "run", self.plugin(), "--call", "kit.nothing", status=1)
        self.assertIn("-32601", done.stderr)

    def test_what_it_prints_and_sends_wrong_is_shown(self) -> None:
        done = self.control("plugin", "run", self.plugin("prints on standard output"), "--call", "kit.ask", status=0)
        self.assertIn("\n| hello\n", done.stderr)
        done = self.control("plugin", "run", self.plugin("sends what is no JSON"), "--call", "kit.ask", status=0)
        self.assertRegex(done.stderr, r"(?m)^! .*hello$")

    def test_it_ends_by_the_signal_of_ctrl_c(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [BINARIES / "pickerctl", "plugin", "run", self.plugin()], env=self.environment,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert process.stderr
            while '"provides"' not in process.stderr.readline():
                pass
            process.send_signal(number)
            said = process.communicate(timeout=PATIENCE)[1]
            self.assertIn("plugin.stop", said)
            self.assertEqual(process.returncode, -number)

    def test_the_end_of_the_plugin_is_an_error(self) -> None:
        done = self.control("plugin", "run", self.plugin("answers nothing"), status=1)
        self.assertIn("plugin.hello is not answered within 5000 ms", done.stderr)
        folder = self.plugin()
        (folder / "kit").write_text("#!/bin/sh\necho no >&2\nexit 3\n")
        done = self.control("plugin", "run", folder, status=1)
        self.assertIn("exit:3", done.stderr)
        self.assertIn("| no\n", done.stderr)

    def test_what_it_asks_is_for_a_running_daemon(self) -> None:
        folder = self.plugin("wants the daemon")
        done = self.control("plugin", "run", folder, "--call", "kit.ask", status=1)
        self.assertIn("no daemon listens", done.stderr)
        with self.place() as place:
            place.serve()
            said = subprocess.run(
                ["pickerctl", "plugin", "run", folder, "--call", "kit.ask"], env=place.environment,
                text=True, capture_output=True, timeout=PATIENCE,
            )  # fmt: skip
            self.assertEqual((said.returncode, said.stdout), (0, "{}\n"), said.stderr)


class DaemonTest(KitTest):
    """With a daemon."""

    def test_manifests_are_as_the_schema_of_the_daemon_says(self) -> None:
        import jsonschema

        with self.place() as place:
            place.serve()
            answer = json.loads(self.raw(place, {"id": 1, "method": "daemon.schema"}))["result"]
        schema = answer["components"]["schemas"]["pluginManifest"]
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        manifests = sorted((PROJECT / "contrib" / "plugins").glob("*/plugin.json"))
        self.assertGreaterEqual(len(manifests), 4)
        for path in manifests:
            manifest = json.loads(path.read_text())
            errors = [error.message for error in validator.iter_errors(manifest)]
            self.assertEqual(errors, [], path)
        self.assertEqual(list(validator.iter_errors(MANIFEST)), [])
        # It is no schema that everything fits.
        for member, wrong in [
            ("id", "Big"), ("api", {"min": 1}), ("exec", []), ("attributes", [{"name": "width", "type": "integer"}]),
            ("keep", "sometimes"), ("limits", {"callMs": 1}), ("methods", [{"name": "count"}]),
        ]:  # fmt: skip
            self.assertTrue(list(validator.iter_errors({**MANIFEST, member: wrong})), member)

    def raw(self, place: Place, request: dict[str, Any]) -> str:
        done = subprocess.run(
            ["pickerctl", "raw"], input=json.dumps(request) + "\n", env=place.environment, text=True,
            capture_output=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        return done.stdout.splitlines()[0]

    def test_the_schema_goes_with_its_plugin(self) -> None:
        with self.place() as place:
            place.serve()
            place.control("plugins", "disable", "processes")
            answer = json.loads(self.raw(place, {"id": 1, "method": "daemon.schema"}))["result"]
        self.assertNotIn("pluginManifest", answer["components"]["schemas"])

    def test_the_words_of_the_daemon_are_no_identifiers(self) -> None:
        with self.place() as place:
            place.serve()
            methods = json.loads(self.raw(place, {"id": 1, "method": "daemon.schema"}))["result"]["methods"]
            plugins = json.loads(self.raw(place, {"id": 1, "method": "plugins.list"}))["result"]
        words = {method["name"].split(".")[0] for method in methods}
        words |= {plugin["id"] for plugin in plugins}
        self.assertEqual([plugin["id"] for plugin in plugins if plugin["kind"] == "process"], [])
        words = {word for word in words if re.fullmatch("[a-z][a-z0-9-]*", word)} - {"batch"}
        self.assertGreater(len(words), 8)
        manifest = dict(MANIFEST)
        for word in sorted(words):
            folder = self.folder / word
            folder.mkdir()
            (folder / "plugin.json").write_text(json.dumps({**manifest, "id": word}))
            done = self.control("plugin", "check", folder, status=1)
            self.assertIn("none of the daemon's own words", done.stdout, word)

    def test_installed_plugins_are_found_off_and_can_be_switched_on(self) -> None:
        prefix = self.folder / "opt"
        environment = {
            **self.environment, "PICKERD_BINARIES": str(BINARIES),
            "XDG_DATA_HOME": str(self.folder / "data"),
        }  # fmt: skip
        install = PROJECT / "contrib" / "install"

        def installed(*options: str) -> str:
            return subprocess.run(
                [install, "--prefix", prefix, *options], env=environment, text=True, capture_output=True,
                timeout=PATIENCE, check=True,
            ).stdout  # fmt: skip

        def files() -> set[str]:
            return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}

        installed()
        plain = files()
        self.assertFalse({name for name in plain if "plugin" in name})
        installed("--plugins")
        new = files() - plain
        self.assertIn("share/pickerd/python/pickerd_plugin.py", new)
        self.assertEqual((prefix / "share/pickerd/swift-package").read_text(), f"{PROJECT}\n")
        self.assertIn("share/pickerd/plugins/image/pickerd_plugin.py", new)
        self.assertFalse([name for name in new if "__pycache__" in name])
        # Links to what is installed beside them, and none to the sources.
        outside = [name for name in new if not (prefix / name).resolve().is_relative_to(prefix.resolve())]
        self.assertEqual(outside, [])
        with self.place(prefix / "bin") as place:
            place.environment["XDG_DATA_DIRS"] = str(prefix / "share")
            place.serve()
            listed = json.loads(place.control("plugins", "--json"))
            states = {plugin["id"]: plugin["state"] for plugin in listed if plugin["kind"] == "process"}
            found = {path.parent.name for path in (PROJECT / "contrib" / "plugins").glob("*/plugin.json")}
            self.assertEqual(states, dict.fromkeys(found, "disabled"))
            place.control("plugins", "enable", "image")
            self.assertIn("waiting", place.control("plugins", "info", "image"))
            # Whoever made a plugin with the kit that is installed there can switch it on as well.
            own = place.home / ".local" / "share" / "pickerd" / "plugins" / "counted"
            place.control("plugin", "new", "python", str(own))
            deadline = subprocess.run(
                ["bash", "-c", "until pickerctl plugins info counted; do read -rt 0.05 <> <(:) || :; done"],
                env=place.environment, capture_output=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            self.assertEqual(deadline.returncode, 0)
            place.control("plugins", "enable", "counted")
            request = {"id": 1, "method": "counted.count", "params": {"text": "a b"}}
            self.assertEqual(json.loads(self.raw(place, request))["result"], {"lines": 0, "words": 2})
            self.assertIn("ready", place.control("plugins", "info", "counted"))
        self.assertIn("Removed", installed("--uninstall"))
        self.assertEqual(files(), set())


class TutorialTest(KitTest):
    """The tutorial, as a reader pastes it."""

    def blocks(self) -> list[tuple[str, str]]:
        """What is to be pasted, and what it prints."""
        text = (PROJECT / "contrib" / "plugins" / "TUTORIAL.md").read_text()
        found = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", text)
        self.assertEqual({kind for kind, _ in found}, {"sh", "text"})
        blocks: list[tuple[str, str]] = []
        for kind, block in found:
            if kind == "sh":
                blocks.append((block, ""))
            else:
                self.assertEqual(blocks[-1][1], "")
                blocks[-1] = (blocks[-1][0], block)
        return blocks

    def test_its_steps_do_what_they_say(self) -> None:
        with self.place() as place:
            subprocess.run(
                # For root that would be in /usr/local.
                [PROJECT / "contrib" / "install", "--plugins", "--prefix", place.home / ".local"],
                capture_output=True, timeout=PATIENCE,
                env={**place.environment, "PICKERD_BINARIES": str(BINARIES)}, check=True,
            )  # fmt: skip
            place.environment["PATH"] = f"{place.home}/.local/bin:{os.environ['PATH']}"
            place.serve()
            # One shell for all of it; a line with its status follows what each block prints.
            with subprocess.Popen(
                ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=place.environment,
            ) as shell:  # fmt: skip
                assert shell.stdin and shell.stdout
                for block, printed in self.blocks():
                    if block.startswith("pickerctl plugins"):
                        # The reader is not as fast as the daemon, which looks when nothing has changed for a moment.
                        block = "until pickerctl plugins info reading >&/dev/null; do sleep 0.05; done\n" + block
                    shell.stdin.write(f"{{\n{block}}} </dev/null; echo \"==== $?\"\n")
                    shell.stdin.flush()
                    said = ""
                    while not (line := shell.stdout.readline()).startswith("===="):
                        self.assertTrue(line, "the shell ended")
                        said += line
                    self.assertEqual(line, "==== 0\n", f"{block}\n{said}")
                    pattern = re.escape(printed).replace("…", ".*")
                    self.assertRegex(said, f"\\A{pattern}\\Z", block)
                shell.stdin.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    BINARIES = Path(sys.argv[1]).resolve()
    sys.exit(run(CheckTest, NewTest, RunTest, DaemonTest, TutorialTest, about="the kit"))

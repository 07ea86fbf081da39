#!/usr/bin/env python3
"""Runs every example of the README, of the man pages and of pickerd.py's documentation, like a reader would.

Examples are read from the pages, so one that is added is run from then on; one that nothing here knows how to
run is a failure. Commands run in a shell, in a home of their own with documents in it, beside a daemon, while
documents come and events are published. One that goes on for ever is ended by Ctrl-C once it has printed something.
Those that need a systemd or a terminal are run by another test, which must hold them word for word.

usage: contrib/tests/examples.py BINARIES
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import pty
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
CLIENTS = PROJECT / "contrib" / "clients"
PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))
failures = 0


def say(what: str, problem: str | None) -> None:
    """Prints the line of one check, which contrib/test counts."""
    global failures
    print(f"{'ok' if problem is None else 'not ok'} - {what}", flush=True)
    if problem is not None:
        failures += 1
        print(textwrap.indent(problem[:3000], "    "), flush=True)


# ---- Reading the pages ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    page: str
    text: str

    @property
    def first(self) -> str:
        return self.text.splitlines()[0]


def blocks_of(text: str) -> Iterator[str]:
    """Indented code of Markdown: after an empty line, indented by four spaces, two more in a list."""
    current: list[str] = []
    before = ""
    for line in [*text.splitlines(), "."]:
        is_code = line.startswith("    ") and (bool(current) or not before.strip())
        if is_code or current and not line.strip():
            current.append(line)
        elif current:
            yield textwrap.dedent("\n".join(current)).strip("\n")
            current = []
        before = line


def unescaped(line: str) -> str:
    """The rendered text of a line of a man page."""
    names = {r"\(aq": "'", r"\(dq": '"', r"\-": "-", r"\&": "", r"\e": "\\"}
    return re.sub(r"\\\(aq|\\\(dq|\\-|\\&|\\e", lambda found: names[found[0]], line)


def examples_of(page: str) -> Iterator[Example]:
    text = (PROJECT / page).read_text()
    if page.endswith(".md"):
        for block in blocks_of(text):
            yield Example(page, block)
        return
    literal: list[str] | None = None
    for line in text.splitlines():
        if line.startswith(".Dl "):
            yield Example(page, unescaped(line.removeprefix(".Dl ")))
        elif line.startswith(".Bd "):
            literal = []
        elif line == ".Ed" and literal is not None:
            yield Example(page, "\n".join(literal))
            literal = None
        elif literal is not None:
            literal.append(unescaped(line))


# ---- An environment for examples -----------------------------------------------------------------


class Place:
    """A home with documents, programs that examples call, and a daemon at `pickerctl`'s default socket."""

    def __init__(self, binaries: str, documents: dict[str, str]) -> None:
        self.folder = Path(tempfile.mkdtemp(suffix="-pickerd-examples"))
        self.home = self.folder / "home"
        self.documents = self.home / "Documents"
        self.run = self.folder / "run"
        self.called = self.folder / "called"
        for folder in (self.documents, self.home / ".cache", self.home / "Papers", self.run, self.called):
            folder.mkdir(parents=True)
        tools = self.folder / "bin"
        tools.mkdir()
        # The programs that examples pass documents to; each records its input.
        for name in ("index", "mail"):
            tool = tools / name
            tool.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{self.called}/{name}"\n')
            tool.chmod(0o755)
        for name, content in documents.items():
            (self.documents / name).write_text(content)
        self.environment = {
            "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.run), "LC_ALL": "C.UTF-8",
            "PATH": f"{tools}:{binaries}:{os.environ['PATH']}", "TERM": "xterm",
        }  # fmt: skip
        (self.run).chmod(0o700)
        self.processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            self.end(process)
        shutil.rmtree(self.folder)

    def start(self, *command: str, on_terminal: bool = False) -> subprocess.Popen[str]:
        """Starts a command in its own process group, with its output in files."""
        number = len(self.processes)
        name = self.folder / f"out{number}"
        name.touch()
        with open(self.folder / f"said{number}", "w") as said:
            output = self.terminal(name) if on_terminal else os.open(name, os.O_WRONLY)
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=said, text=True,
                env=self.environment, cwd=self.home, start_new_session=True,
            )  # fmt: skip
            os.close(output)
        self.processes.append(process)
        return process

    def terminal(self, name: Path) -> int:
        """A terminal whose output goes to a file."""
        shown, terminal = pty.openpty()

        def copy() -> None:
            with open(name, "ab", buffering=0) as file:
                try:
                    while data := os.read(shown, 1 << 16):
                        file.write(data)
                except OSError:  # nobody writes there any more
                    pass
            os.close(shown)

        threading.Thread(target=copy, daemon=True).start()
        return terminal

    def printed(self, process: subprocess.Popen[str]) -> tuple[str, str]:
        number = self.processes.index(process)
        names = (self.folder / f"out{number}", self.folder / f"said{number}")
        return names[0].read_text(errors="replace"), names[1].read_text(errors="replace")

    def end(self, process: subprocess.Popen[str]) -> None:
        """Interrupts like Ctrl-C; kills a command that does not end."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        # What a shell leaves in the background ignores the interrupt.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def serve(self, *arguments: str) -> None:
        """Starts a daemon, and waits until it has listed all documents."""
        self.start("pickerd", *arguments)
        self.control("sync", "--timeout", str(int(PATIENCE)))

    def control(self, *arguments: str) -> str:
        """A command of pickerctl, retried while there is no daemon."""
        deadline = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(
                ["pickerctl", *arguments], env=self.environment, cwd=self.home, text=True,
                capture_output=True, timeout=PATIENCE + 5,
            )  # fmt: skip
            if done.returncode != 3 or time.monotonic() > deadline:
                break
            time.sleep(0.02)
        if done.returncode:
            raise AssertionError(f"pickerctl {' '.join(arguments)}: status {done.returncode}, {done.stderr}")
        return done.stdout


# ---- Commands ------------------------------------------------------------------------------------


def run(place: Place, *command: str, is_endless: bool) -> str | None:
    """Runs a command while something happens around it; says what was wrong with it. One that is endless is
    ended by Ctrl-C once it has printed or called something."""
    process = place.start(*command, on_terminal="--watch" in command[-1])
    deadline = time.monotonic() + PATIENCE
    turn = 0
    while process.poll() is None:
        if is_endless and (place.printed(process)[0] or any(place.called.iterdir())):
            break
        if time.monotonic() > deadline:
            place.end(process)
            return f"nothing came of it in {PATIENCE:.0f} seconds\n{place.printed(process)[1]}"
        # Events for the commands that wait for some.
        turn += 1
        (place.documents / f"made {turn}.txt").write_text("text")
        place.control("publish", "app.tick", json.dumps(turn))
    was_running = process.poll() is None
    place.end(process)
    out, said = place.printed(process)
    # The first run is reported; and programs called by a command receive Ctrl-C, too.
    expected = ("no place is remembered", "ended by signal 2")
    complaints = [line for line in said.splitlines() if not any(words in line for words in expected)]
    if complaints:
        return f"it complained: {said}"
    # 130 is a shell's status after Ctrl-C; 124 is `timeout`'s status after its time limit.
    if process.returncode not in ((0, 130, -signal.SIGINT) if was_running else (0, 124)):
        return f"it ended with status {process.returncode}\n{out}"
    return None


COMMAND_DOCUMENTS = {
    "draft.md": "a draft", "second draft.txt": "another", "notes.md": "notes", "old.md": "old",
    "annual report.pdf": "x" * 2_000_000,
}  # fmt: skip

# Examples that another test runs: their prefix, that test, and the text it contains.
ELSEWHERE = [
    ("contrib/demo", "contrib/tests/demo.sh", "/../demo"),
    ("contrib/test", ".ci/run", "contrib/test"),
    ("contrib/docs", "contrib/test", "contrib/docs"),
    ("contrib/install", "contrib/tests/units.sh", "contrib/install"),
    ("contrib/package", "contrib/tests/package.sh", 'contrib/package" deb'),
    ("systemctl --user daemon-reload", "contrib/tests/units.sh", None),
    ("systemctl --user enable --now pickerd.socket", "contrib/tests/units.sh", None),
    ("systemctl --user reload pickerd", "contrib/tests/units.sh", None),
    ("journalctl --user PICKERD_EVENT=ready", "contrib/tests/units.sh", "PICKERD_EVENT=ready"),
    ("vim ", "contrib/tests/pick_on_terminal.py", None),
    ("gdbus call ", "contrib/tests/search_provider.py", "pickerd-desktop.1"),
    ("mv ", "contrib/tests/pick_folders.py", None),
]


def elsewhere(command: str) -> bool:
    for beginning, test, words in ELSEWHERE:
        if command.startswith(beginning):
            expected = words or command
            is_held = expected in (PROJECT / test).read_text()
            say(f"{test} runs: {command}", None if is_held else f"it has no '{expected}'")
            return True
    return False


def check_command(binaries: str, page: str, line: str) -> None:
    command = re.sub(r"\s+# .*$", "", line)
    if elsewhere(command):
        return
    if not re.match(r"(pickerctl|pickerd|touch|echo|printf|timeout) ", command):
        say(f"{page}: {command}", "nothing here knows how to run this example")
        return
    with Place(binaries, COMMAND_DOCUMENTS) as place:
        if command.startswith("pickerd "):
            place.environment["PICKERD_SOCKET"] = str(place.home / ".pickerd.sock")
            place.start("bash", "-c", f"exec {command}")
            try:
                said = place.control("get", "notes.md")
                say(f"{page}: {command}", None if "notes.md" in said else f"get printed: {said}")
            except AssertionError as error:
                say(f"{page}: {command}", str(error))
            return
        named = re.search(r"--socket (\S+)", command)
        if named:
            place.environment["PICKERD_SOCKET"] = named[1].replace("~", str(place.home))
        place.serve()
        problem = run(place, "bash", "-c", f"set -e; {command}", is_endless="timeout" not in command)
        for tool in ("index", "mail"):
            if re.search(rf"--exec '{tool} ", command) and problem is None:
                given = place.called / tool
                problem = None if given.exists() and given.read_text() else f"{tool} was not called"
        say(f"{page}: {command}", problem)


# ---- Sessions ------------------------------------------------------------------------------------


def pattern_of(line: str) -> re.Pattern[str]:
    """What a printed line stands for: dots are anything; keys, revisions and tokens are those of a run."""
    text = re.escape(line)
    text = re.sub(r"…|(\\\.){3}", ".*", text)
    text = re.sub(r'"[0-9a-f]+:[0-9]+"', '"[0-9a-z]+:[0-9]+"', text)
    text = re.sub(r'"key":"f[0-9a-z]+"', '"key":"f[0-9a-z]+"', text)
    return re.compile(re.sub(r'"(rev|from|to)":[0-9]+', r'"\1":[0-9]+', text))


def check_session(binaries: str, example: Example) -> None:
    lines: list[str] = []
    for line in example.text.splitlines():
        if line.startswith(" "):
            lines[-1] += line.strip()
        else:
            lines.append(line)
    made_by_another = {"README.md": ["a.md", "c.md"], "contrib/man/pickerd-protocol.7": ["a.md", "b.md"]}
    with Place(binaries, {}) as place:
        for age, name in enumerate(reversed(made_by_another[example.page])):
            path = place.documents / name
            path.write_text(name)
            moment = time.time() - 1000 + age * (1 if name < "c" else -1)
            os.utime(path, (moment, moment))
        if example.page != "README.md":
            os.utime(place.documents / "b.md")
        place.serve()
        raw = subprocess.Popen(
            ["pickerctl", "raw"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=place.environment, bufsize=1,
        )  # fmt: skip
        assert raw.stdin and raw.stdout
        output = raw.stdout
        printed: queue.Queue[str] = queue.Queue()

        def take() -> None:
            for line in output:
                printed.put(line)

        threading.Thread(target=take, daemon=True).start()
        problem = None
        last_sent = ""
        for line in lines:
            if line.startswith("> "):
                last_sent = line
                raw.stdin.write(line.removeprefix("> ") + "\n")
                raw.stdin.flush()
                continue
            if '"items.delta"' in line and "items.open" in last_sent:
                (place.documents / "b.md").touch()  # the third, by a second client
            try:
                came = printed.get(timeout=PATIENCE).rstrip("\n")
            except queue.Empty:
                came = "nothing"
            if not pattern_of(line).fullmatch(came):
                problem = f"printed: {line}\ncame:    {came}"
                break
        raw.stdin.close()
        raw.wait(PATIENCE)
        say(f"{example.page}: the session {lines[0]}", problem)


# ---- Settings, Python, Swift ---------------------------------------------------------------------


def check_settings(binaries: str, example: Example) -> None:
    with Place(binaries, COMMAND_DOCUMENTS) as place:
        folder = place.home / ".config" / "pickerd"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(example.text + "\n")
        place.serve()
        info = place.control("status", "--json")
        wrong = [part for part in json.loads(info).get("degraded", []) if part.get("what") == "settings"]
        served = place.control("get", "notes.md")
        problem = None if "notes.md" in served and not wrong else f"{info}\n{served}"
        say(f"{example.page}: the settings {example.first}", problem)


class EndlessLoopsOnce(ast.NodeTransformer):
    """Ends endless loops of an example after one iteration."""

    def _once(self, node: Any) -> Any:
        node.body.append(ast.copy_location(ast.Break(), node.body[-1]))
        return ast.fix_missing_locations(node)

    visit_For = _once
    visit_While = _once


PYTHON_AROUND = """import selectors
from pickerd import *
shown = []
show = draw = lambda what: shown.append(what)
feed = EventFeed(["*"], replay=10)
"""


def check_python(binaries: str, example: Example) -> None:
    program = ast.unparse(EndlessLoopsOnce().visit(ast.parse(example.text)))
    with Place(binaries, COMMAND_DOCUMENTS) as place:
        place.environment |= {"PYTHONPATH": str(CLIENTS), "PYTHONDONTWRITEBYTECODE": "1"}
        place.serve()
        problem = run(place, sys.executable, "-c", PYTHON_AROUND + program, is_endless=False)
        say(f"{example.page}: {example.first}", problem)


def check_swift(example: Example) -> None:
    """The README's example is part of a test, word for word."""
    test = "Tests/Programs/IntegrationTests/ReadmeTests.swift"
    held = [line.strip() for line in (PROJECT / test).read_text().splitlines() if line.strip()]
    lines = [line.strip() for line in example.text.splitlines() if line.strip()]
    is_held = any(held[at : at + len(lines)] == lines for at in range(len(held)))
    say(f"{test} has: {example.first}", None if is_held else f"it lacks:\n{example.text}")


# ---- All of them ---------------------------------------------------------------------------------


def check(binaries: str, example: Example) -> None:
    first = example.first
    if first.startswith("> {"):
        check_session(binaries, example)
    elif first.startswith(("roots = ", "log-level = ", "[")):
        check_settings(binaries, example)
    elif example.page.endswith(".py") or re.match(r"(for|import|from) ", first):
        check_python(binaries, example)
    elif first.startswith("let "):
        check_swift(example)
    elif first.startswith("Programs "):
        pass  # the plan of the house, which contrib/architecture.md has, too
    else:
        for line in example.text.splitlines():
            if line.strip():
                check_command(binaries, example.page, line)


def main(binaries: str) -> int:
    pages = ["README.md", *sorted(str(page.relative_to(PROJECT)) for page in PROJECT.glob("contrib/man/*.[0-9]"))]
    examples = [example for page in pages for example in examples_of(page)]
    python = ast.get_docstring(ast.parse((CLIENTS / "pickerd.py").read_text())) or ""
    examples += [Example("contrib/clients/pickerd.py", block) for block in blocks_of(python)]
    say("the pages have examples", None if len(examples) >= 20 else f"only {len(examples)} were found")
    for example in examples:
        try:
            check(binaries, example)
        except (AssertionError, OSError, ValueError, SyntaxError, subprocess.SubprocessError) as error:
            say(f"{example.page}: {example.first}", f"{type(error).__name__}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(str(Path(sys.argv[1]).resolve())))

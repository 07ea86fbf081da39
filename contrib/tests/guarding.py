#!/usr/bin/env python3
"""The guard of plugins that are children, alone: what it lets a plugin start, and that nothing of one is left.

The bombs end by themselves: none has more than 256 processes, and each process has twenty seconds.

usage: contrib/tests/guarding.py BINARIES
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib/clients")]

from test_pickerd import PATIENCE, eventually, run  # noqa: E402

# The signal by which a guard says that there were too many tasks.
TOO_MANY = signal.SIGSTKFLT
# The limit of a guard above the one that is tested: so many that it never says that there are too many.
OTHERS = 30_000

DOUBLING = """
import os, signal
signal.alarm(20)
for _ in range(8):
    os.fork()
    signal.alarm(20)
signal.pause()
"""
IN_SESSIONS = """
import os, signal
signal.alarm(20)
for _ in range(120):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.alarm(20)
        signal.pause()
    os.wait()
signal.pause()
"""
THREADS = """
import signal, threading
signal.alarm(20)
never = threading.Event()
for _ in range(100):
    threading.Thread(target=never.wait, daemon=True).start()
signal.pause()
"""
# Five that are never the same for long, each in a session of its own; `end` is what the first one does. Each waits for
# the end of the one before it: on a busy machine these would come to more than a limit.
FLEEING = """
import os, signal, time
signal.alarm(20)
until = time.monotonic() + 15
for _ in range(5):
    if os.fork() == 0:
        while time.monotonic() < until:
            last = os.getpid()
            if os.fork():
                os._exit(0)
            os.setsid()
            while os.getppid() == last:
                os.sched_yield()
        os._exit(0)
{end}
"""
# And one that stays, and does nothing that could fail.
STAYING = FLEEING.format(
    end="""
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.alarm(120)
    open(os.environ["BEGAN"], "w").close()
while True:
    signal.pause()
"""
)
# Thirty that end before those that flee.
THIRTY = """
for _ in range(30):
    if os.fork() == 0:
        time.sleep(10)
        os._exit(0)
time.sleep(10)
raise SystemExit(9)
"""
MANY_IN_TURN = """
import subprocess
for _ in range(200):
    subprocess.run(["/bin/true"], check=True)
raise SystemExit(7)
"""


def those_with(mark: str) -> list[int]:
    """The processes that have the mark in their environment, of which those that have ended have none."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and mark.encode() in Path("/proc", entry, "environ").read_bytes():
                found.append(int(entry))
        except OSError:
            pass
    return found


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def children(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def leads_only_a_group(process: int) -> bool:
    """Whether a process, which may end at any time, leads a group and no session."""
    try:
        return os.getpgid(process) == process and os.getsid(process) != process
    except ProcessLookupError:
        return False


def switches(process: int) -> int:
    """How often a process has waited: each time it was woken by something."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))


class Guarded(unittest.TestCase):
    #: Whether the kernel can't ask the guard: another one is asked already.
    asks_another = False

    def setUp(self) -> None:
        self.mark = f"PICKERD_TEST_MARK={uuid.uuid4().hex}"
        self.folder = tempfile.TemporaryDirectory(suffix="-pickerd-guarding")
        self.addCleanup(self.folder.cleanup)
        self.began = Path(self.folder.name, "began")
        spare = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, spare)
        self.spare = os.dup2(spare, 30)
        self.addCleanup(os.close, 30)

    def arguments(self, daemon: str, tasks: int, program: list[str]) -> list[str]:
        return ["pickerd-plugin-guard", daemon, "0", "256", str(tasks), str(int(TOO_MANY)), "/", *program]

    def start(self, code: str, tasks: int = 16, daemon: int | None = None) -> subprocess.Popen[str]:
        program = ["/usr/bin/python3", "-B", "-c", code]
        if self.asks_another:
            words = self.arguments("$PPID", tasks, []) + ["/usr/bin/python3", "-B", "-c", '"$1"']
            program = ["/bin/bash", "-c", f'exec 3<&0; exec -a {words[0]} "$0" {" ".join(words[1:])}', PICKERD, code]
        guard = subprocess.Popen(
            self.arguments(str(daemon or os.getpid()), OTHERS if self.asks_another else tasks, program),
            executable=PICKERD, env={"PATH": os.environ["PATH"], "BEGAN": str(self.began), **self.variable()},
            stderr=subprocess.PIPE, text=True, pass_fds=(3,), preexec_fn=lambda: os.dup2(30, 3) and None,
        )  # fmt: skip
        self.addCleanup(self.leave, guard)
        return guard

    def variable(self) -> dict[str, str]:
        name, _, value = self.mark.partition("=")
        return {name: value}

    def leave(self, guard: subprocess.Popen[str]) -> None:
        guard.kill()
        guard.wait()
        if guard.stderr:
            guard.stderr.close()

    def end(self, code: str, tasks: int = 16) -> tuple[int, str]:
        """How a guard ends, and the last line that it or the plugin printed; nothing is left then."""
        guard = self.start(code, tasks)
        _, printed = guard.communicate(timeout=PATIENCE)
        self.assertEqual(those_with(self.mark), [])
        return guard.returncode, (printed.splitlines() or [""])[-1]

    def is_over_the_limit(self, code: str) -> None:
        status, printed = self.end(code)
        self.assertEqual(printed, "it has more than 16 processes and threads, its limit: all of it is killed")
        # The guard above says so otherwise.
        self.assertEqual(status, -(signal.SIGKILL if self.asks_another else TOO_MANY))


class LimitTests(Guarded):
    """Where the kernel asks."""

    def test_what_doubles_is_killed(self) -> None:
        self.is_over_the_limit(DOUBLING)

    def test_what_hides_in_sessions_is_killed(self) -> None:
        self.is_over_the_limit(IN_SESSIONS)

    def test_what_flees_is_killed_with_its_first_process(self) -> None:
        status, _ = self.end(FLEEING.format(end="raise SystemExit(5)"), 64)
        self.assertEqual(status, 5)

    def test_what_stays_is_counted_while_others_flee(self) -> None:
        self.is_over_the_limit(FLEEING.format(end=THIRTY))

    def test_few_at_a_time_may_be_many_in_all(self) -> None:
        # One more than there ever are: what has just ended may still be seen.
        self.assertEqual(self.end(MANY_IN_TURN, 3)[0], 7)

    def test_it_ends_like_the_plugin(self) -> None:
        self.assertEqual(self.end("raise SystemExit(3)")[0], 3)
        self.assertEqual(self.end("import os; os.kill(os.getpid(), 11)")[0], -signal.SIGSEGV)


class PriorityTests(Guarded):
    def test_a_plugin_goes_behind_others_and_its_guard_does_not(self) -> None:
        guard = self.start("import os, signal\nopen(os.environ['BEGAN'], 'w').close()\nsignal.alarm(20)\nsignal.pause()")
        self.assertTrue(eventually(self.began.exists))
        (inner,) = children(guard.pid)
        (plugin,) = children(inner)
        nice = [os.getpriority(os.PRIO_PROCESS, each) for each in (guard.pid, inner, plugin)]
        own = os.getpriority(os.PRIO_PROCESS, 0)
        self.assertEqual(nice, [own, own, max(own, 10)])


class AskedTests(Guarded):
    """What needs the kernel's questions."""

    def test_threads_count(self) -> None:
        self.is_over_the_limit(THREADS)

    def test_a_bomb_does_not_go_beyond_the_limit(self) -> None:
        guard = self.start(DOUBLING)
        most = 0
        while guard.poll() is None:
            most = max(most, len(those_with(self.mark)))
        # The guard's two processes are counted here, and those that the last ones were beginning when it counted.
        self.assertLessEqual(most, 2 * 16 + 2)
        self.assertEqual(guard.returncode, -TOO_MANY)

    def test_the_signal_for_too_many_is_the_guards_alone(self) -> None:
        self.assertEqual(self.end(f"import os; os.kill(os.getpid(), {int(TOO_MANY)})")[0], -signal.SIGKILL)

    def test_it_is_not_woken_while_nothing_is_started(self) -> None:
        guard = self.start("import os, time\nopen(os.environ['BEGAN'], 'w').close()\ntime.sleep(60)")
        self.assertTrue(eventually(self.began.exists))
        both = [guard.pid, *children(guard.pid)]
        self.assertEqual(len(both), 2)
        before = [switches(process) for process in both]
        # Long enough for a count, if there were any.
        time.sleep(1)
        self.assertEqual([switches(process) for process in both], before)
        guard.terminate()
        self.assertEqual(guard.wait(PATIENCE), -signal.SIGTERM)


class UnaskedTests(LimitTests):
    """Where the kernel can ask no one: a guard below a guard."""

    asks_another = True


class KillTests(Guarded):
    """Kills from outside, of a plugin that ignores SIGTERM and flees into sessions of their own."""

    def fleeing(self, daemon: int | None = None) -> subprocess.Popen[str]:
        guard = self.start(STAYING, 64, daemon)
        self.assertTrue(eventually(self.began.exists))
        return guard

    def nothing_is_left(self) -> None:
        self.assertTrue(eventually(lambda: not those_with(self.mark)), those_with(self.mark))

    def test_of_the_outer_one(self) -> None:
        guard = self.fleeing()
        guard.kill()
        guard.wait()
        self.nothing_is_left()

    def test_of_the_inner_one(self) -> None:
        guard = self.fleeing()
        os.kill(children(guard.pid)[0], signal.SIGKILL)
        self.assertEqual(guard.wait(PATIENCE), -signal.SIGKILL)
        self.assertEqual(those_with(self.mark), [])

    def test_of_the_plugin(self) -> None:
        guard = self.fleeing()
        inner = children(guard.pid)[0]
        os.kill(min(filter(leads_only_a_group, children(inner))), signal.SIGKILL)
        self.assertEqual(guard.wait(PATIENCE), -signal.SIGKILL)
        self.assertEqual(those_with(self.mark), [])

    def test_of_the_daemon(self) -> None:
        # A process between stands for it: what it starts is the guard.
        daemon = os.fork()
        if daemon == 0:
            self.start(STAYING, 64)
            signal.pause()
        self.assertTrue(eventually(self.began.exists))
        os.kill(daemon, signal.SIGKILL)
        os.waitpid(daemon, 0)
        self.nothing_is_left()

    def test_by_a_request_to_end(self) -> None:
        guard = self.fleeing()
        guard.terminate()
        self.assertEqual(guard.wait(PATIENCE), -signal.SIGKILL)
        self.assertEqual(those_with(self.mark), [])


if __name__ == "__main__":
    PICKERD = os.path.realpath(sys.argv[1]) + "/pickerd"
    sys.exit(run(LimitTests, PriorityTests, AskedTests, UnaskedTests, KillTests, about="the guard of plugins"))

"""What happens to a daemon in a year: each fault is given the soak, and returns a line about what it did.

The last state is always checked by the soak; states on the way are checked here."""

import contextlib
import math
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

from followers import Difference
from pickerd import Refused
from world import Nothing

WATCHES = "/proc/sys/user/max_inotify_watches"
QUEUE = "/proc/sys/fs/inotify/max_queued_events"
#: For this long, folders that could not be watched may be read now and then instead.
POLLED = 40
#: A document that changed this long before a kill keeps its key: half a second, and what this program may be late.
SETTLED = 0.6


@contextlib.contextmanager
def _stopped(process):
    os.kill(process.pid, signal.SIGSTOP)
    try:
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.001)
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def stopped(soak):
    with _stopped(soak.daemon.process):
        return soak.edits(4)


def overflow(soak):
    """More events than the kernel keeps, while the daemon can take none; edits before, meanwhile and after it."""
    queue = int(Path(QUEUE).read_text())
    before = soak.followers.topics("watch.overflow")
    soak.world.unseen_until = math.inf
    a, b = (os.path.join(soak.world.roots[0], name) for name in (".flood-a", ".flood-b"))
    with _stopped(soak.daemon.process):
        said = soak.edits(2)
        Path(a).touch()
        for _ in range(queue // 2 + 10):
            os.rename(a, b)
            a, b = b, a
        said += "; " + soak.edits(3)
    os.unlink(a)
    soak.check()
    soak.world.unseen_until = 0
    if soak.followers.topics("watch.overflow") == before:
        raise Difference("the queue has overflowed, and no event tells of it")
    return said


def descriptors(soak):
    """No descriptor is left for a while. `sync` may fail meanwhile; if it does not, all must be right."""
    process = soak.daemon.process
    most = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    soak.world.unseen_until = time.monotonic() + POLLED
    used = max(int(each) for each in os.listdir(f"/proc/{process.pid}/fd")) + 1
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (used, most[1]))
    try:
        said = soak.edits(4)
        try:
            soak.followers.client.sync(1)
        except Refused as error:
            said += f"; {error.kind}"
        else:
            soak.check()
    finally:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, most)
    soak.check()
    return said


def watches(soak):
    """No further folder can be watched for a while: such folders are read now and then, and when asked."""
    soak.need_namespace()
    most = Path(WATCHES).read_text()
    soak.world.unseen_until = time.monotonic() + POLLED
    Path(WATCHES).write_text("1")
    try:
        said = soak.edits(4)
        soak.check()
        said += "; " + soak.edits(4)
        soak.check()
    finally:
        Path(WATCHES).write_text(most)
    return said + "; " + soak.edits(1)


# ---- Roots -----------------------------------------------------------------------------------------


def _root(soak):
    """A root in which no program has a document open."""
    world = soak.world
    roots = [root for root in world.roots if not any(path.startswith(root + "/") for path in world.busy)]
    if not roots:
        raise Nothing
    return world.rng.choice(roots)


@contextlib.contextmanager
def _back_in_time(soak, root):
    """The keys of what is below a root, which leaves and comes back, stay if it is back within a second."""
    keys = {path: key for path, key in soak.world.keys.items() if path.startswith(root + "/")}
    start = time.monotonic()
    yield
    soak.world.keys.update(keys)
    if time.monotonic() - start > 0.9:
        soak.world.loosen(*keys)


def away(soak):
    """A root is renamed, and comes back under its name."""
    root = _root(soak)
    aside = os.path.join(soak.world.outside, "aside")
    with _back_in_time(soak, root):
        os.rename(root, aside)
        if is_seen := soak.rng.random() < 0.7:
            soak.check()
        time.sleep(soak.rng.choice([0, 0, 0.1, 1.5]))
        os.rename(aside, root)
    return f"{os.path.basename(root)} is away, " + ("as is seen" if is_seen else "for a moment")


def replaced(soak):
    """Another folder takes the place of a root, for good or for a while."""
    root = _root(soak)
    world = soak.world
    aside = os.path.join(world.outside, f"aside{world.count}")
    with _back_in_time(soak, root):
        os.rename(root, aside)
        os.makedirs(os.path.join(root, "other"))
        for folder in (root, os.path.join(root, "other")):
            Path(folder, world.new_name()).write_bytes(b"another")
        if is_seen := soak.rng.random() < 0.7:
            soak.check()
        world.look()
        if is_for_good := soak.rng.random() < 0.3:
            world.keys = {path: key for path, key in world.keys.items() if path in world.disk}
        else:
            shutil.rmtree(root)
            os.rename(aside, root)
    if is_for_good:
        world.loosen(*world.disk)
        shutil.rmtree(aside)
    return (f"{os.path.basename(root)} is replaced " + ("for good" if is_for_good else "for a while")
            + (", as is seen" if is_seen else ""))


def mounted(soak):
    """A file system is mounted over a root."""
    soak.need_namespace()
    root = _root(soak)
    with _back_in_time(soak, root):
        mount(root, "8m")
        try:
            for _ in range(3):
                Path(root, soak.world.new_name()).write_bytes(b"on the mount")
            if is_seen := soak.rng.random() < 0.7:
                soak.check()
        finally:
            unmount(root)
    return f"{os.path.basename(root)} is mounted over" + (", as is seen" if is_seen else "")


def mount(folder, size):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=700,size={size}", "soak", folder], check=True)


def unmount(folder):
    """The kernel refuses it while the daemon reads a folder there."""
    for _ in range(500):
        if subprocess.run(["umount", folder], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.02)
    raise Difference(f"{folder} cannot be unmounted: the daemon keeps something open there")


# ---- The state folder, and the daemon itself -------------------------------------------------------


def full(soak):
    """The disk of the state folder is full for a while; the daemon serves, and stores again when told to."""
    soak.need_namespace()
    filler = os.path.join(soak.small, "filler")
    try:
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        for number in range(128):
            soak.followers.client.publish("app.soak.filler", [number, "x" * 8_000])
        said = soak.edits(4)
        soak.check()
        time.sleep(0.3)
    finally:
        os.unlink(filler)
    was_degraded = "degraded" in soak.followers.client.info()["events"]
    soak.followers.client.reload()
    deadline = time.monotonic() + 20
    for part in ("events", "snapshot"):
        while "degraded" in (found := soak.followers.client.info()[part]):
            if time.monotonic() > deadline:
                raise Difference(f"'{part}' is not stored again when there is room: {found}")
            time.sleep(0.02)
    return said + ("; messages were not stored" if was_degraded else "; messages were stored")


def restart(soak):
    """The daemon ends as it is told to, things change, and it starts again."""
    soak.check()
    return _restart(soak, signal.SIGTERM, is_quiet=True)


def kill_at_rest(soak):
    soak.check()
    time.sleep(SETTLED)
    return _restart(soak, signal.SIGKILL, is_quiet=True)


def kill_at_work(soak):
    """What has changed in the last half second may be forgotten."""
    said = soak.edits(4)
    return said + "; " + _restart(soak, signal.SIGKILL, is_quiet=False)


def _restart(soak, number, is_quiet):
    world, process = soak.world, soak.daemon.process
    resets = [each.resets for each in soak.followers.lists]
    if not is_quiet:
        time.sleep(soak.rng.choice([0, 0, 0.01, 0.3]))
    process.send_signal(number)
    status = process.wait(30)
    if status != (0 if number == signal.SIGTERM else -number):
        raise Difference(f"the daemon ended with {status}")
    world.loosen(*(path for path, changed in soak.changed.items() if time.monotonic() - changed < SETTLED)
                 if number == signal.SIGKILL else ())
    said = f"{signal.Signals(number).name}; "
    said += soak.edits(3) if soak.rng.random() < 0.6 else "nothing changes"
    world.loosen_changes(soak.checked)
    soak.begin_stretch()
    soak.daemon.start()
    if soak.forgetful:
        world.keys.clear()
        soak.followers.forget()
    elif not is_quiet:
        soak.followers.forget()
    soak.check()
    anew = [index for index, (each, before) in enumerate(zip(soak.followers.lists, resets)) if each.resets != before]
    if anew and is_quiet and not soak.forgetful:
        raise Difference(f"lists {anew} were sent anew, and not resumed")
    return said


FAULTS = [(stopped, 3), (overflow, 1), (descriptors, 1), (watches, 1), (away, 1), (replaced, 1), (mounted, 1),
          (full, 0.5), (restart, 2), (kill_at_rest, 1), (kill_at_work, 2)]
RESTARTS = [each.__name__ for each in (restart, kill_at_rest, kill_at_work)]

"""The daemon under test: its start, its resources, its end."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))


def programs():
    """The folder of the release programs, which are built unless PICKERD_BINARIES names those to use."""
    if folder := os.environ.get("PICKERD_BINARIES"):
        return folder
    built = subprocess.run([os.path.join(HERE, "../../build")], check=True, stdout=subprocess.PIPE)
    return built.stdout.decode().strip().splitlines()[-1]


class Daemon:
    """pickerd with its own folder, state and settings. Its roots are one empty folder, unless others are given."""

    def __init__(self, binary, folder=None, roots=None, state=None, settings=""):
        self.folder = folder or tempfile.mkdtemp(prefix="pickerd-soak-")
        self.path = os.path.join(self.folder, "pickerd.sock")
        self._binary = binary
        self._state = state or os.path.join(self.folder, "state")
        self._roots = roots or [os.path.join(self.folder, "Documents")]
        for root in self._roots:
            os.makedirs(root, exist_ok=True)
        with open(os.path.join(self.folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(settings)
        self.start()

    def start(self):
        """Starts it, and waits until it has read the folders."""
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_PID")}
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self._binary, *self._roots, "--socket", self.path, "--state", self._state,
                 "--config", os.path.join(self.folder, "config.toml"), "--log-level", "warning"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._wait_for(lambda: self.ask("sync"))

    def wait_until_stored(self):
        """Its files are open once the first event is stored."""
        self._wait_for(lambda: self.ask("daemon.info")["events"].get("stored", 0) > 0)

    def _wait_for(self, holds):
        deadline = time.monotonic() + 30
        while True:
            try:
                if holds():
                    return
            except (OSError, KeyError, ValueError):
                if self.process.poll() is not None:
                    raise
            if time.monotonic() > deadline:
                raise TimeoutError(f"pickerd is not ready: {self.log()[-1000:]}")
            time.sleep(0.01)

    def ask(self, method, params=None):
        """The result of one request on a separate connection."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(self.path)
            request = {"id": 1, "method": method, "params": params or {}}
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as lines:
                return json.loads(lines.readline())["result"]

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return log.read().strip()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def descriptors_at_rest(self):
        """The descriptors when the last of the clients has been done with: the fewest within three
        seconds."""
        looks = []
        for _ in range(60):
            looks.append(self.descriptors())
            time.sleep(0.05)
        return min(looks)

    def sample(self):
        """Memory in MiB, descriptors, threads, and the MiB of the state folder."""
        fields = {}
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as status:
            for each in status:
                name, _, value = each.partition(":")
                fields[name] = value.split()
        return {"rss": int(fields["VmRSS"][0]) / 1024, "peak": int(fields["VmHWM"][0]) / 1024,
                "threads": int(fields["Threads"][0]), "descriptors": self.descriptors(),
                "state": _size(self._state) / (1 << 20)}

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Stops it in an orderly way; returns the duration, or None if it had to be killed."""
        start = time.monotonic()
        code = None
        if self.process.poll() is None:
            self.process.terminate()
            try:
                code = self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return time.monotonic() - start if code == 0 else None

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def _size(folder):
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:
                pass  # It was removed meanwhile, as old segments are.
    return total

"""The contestants: how each is found, started in its own folder, queried, and ended.

All of them listen on a Unix socket in that folder (nats: on a free port of 127.0.0.1), keep nothing elsewhere, and
are ended by their process id.
"""

import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 120


@dataclasses.dataclass
class Broker:
    """The messages of its publishers and subscribers. An answer's extent is "lines:N" or "bytes:N"."""

    subscribe: bytes
    subscribed: str
    before: bytes
    after: bytes
    greeting: bytes = b""
    greeted: str = "bytes:0"


class CouldNotRun(Exception):
    """The reason why a contestant has no figures."""


class Contestant:
    """One process, from `start` on; `folder` is its own and removed with it."""

    name = ""
    package = None  # of Debian; None for what is made here
    program = None
    brings_socket = True

    def __init__(self, place, tools):
        self.tools = tools
        self.folder = tempfile.mkdtemp(prefix=self.name + "-", dir=place)
        self.address = os.path.join(self.folder, "socket")
        self.process = None
        self.output = None  # of one that tells by its standard output

    @classmethod
    def is_there(cls):
        return cls.program is None or find(cls.program) is not None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.output is not None:
            self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, root):
        """Starts it on `root`, if it works with files, and waits until it is ready."""
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                self.command(root), stdin=subprocess.DEVNULL, stderr=log, env=self.environment(),
                stdout=subprocess.PIPE if not self.brings_socket else log)
        self.output = self.process.stdout
        if self.brings_socket:
            self.await_socket()
        self.prepare(root)

    def await_socket(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                connect(self.address).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise CouldNotRun(f"it did not start: {self.log()}") from None
                time.sleep(0.002)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return " ".join(log.read().split())[-200:] or "it says nothing"

    def environment(self):
        unwanted = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
                    "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
        kept = {key: value for key, value in os.environ.items() if key not in unwanted}
        return dict(kept, HOME=self.folder, TMPDIR=self.folder)

    def memory(self):
        """Resident memory in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1000
        raise CouldNotRun("it has ended")

    def processor_time(self):
        """The time in seconds that all its threads have run, also those that have ended."""
        # The number of the clock of another process, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    # The parts that differ between contestants.
    def command(self, root):
        raise NotImplementedError

    def prepare(self, root):
        pass


class Pickerd(Contestant):
    name = "pickerd"

    def command(self, root):
        settings = os.path.join(self.folder, "config.toml")
        with open(settings, "w", encoding="utf-8"):
            pass
        return [self.tools["pickerd"], "--root", root, "--socket", self.address, "--config", settings,
                "--state", os.path.join(self.folder, "state"), "--log-level", "error"]

    def prepare(self, root):
        """Waits until all existing files are listed."""
        self.connection = Lines(self.address)
        self.ask("sync", {"timeoutMs": PATIENCE * 1000})

    def ask(self, method, params):
        answer = self.connection.ask({"id": 1, "method": method, "params": params})
        if "error" in answer:
            raise CouldNotRun(f"{method}: {answer['error']}")
        return answer["result"]

    def count(self):
        """The number of documents, once all earlier changes are known."""
        self.ask("sync", {"timeoutMs": PATIENCE * 1000})
        # The first item represents a new document.
        return self.ask("items.get", {"window": {"start": 0, "count": 0}})["total"] - 1

    def search(self, word, most):
        """The names of the first ones, and their total number."""
        found = self.ask("items.get", {
            "search": word, "fields": ["name"], "window": {"start": 0, "count": most}})
        return found["items"], found["total"]

    request = b'{"id":1,"method":"daemon.ping"}\n'

    def changes(self, root):
        return b'{"id":1,"method":"events.subscribe","params":{"topics":["documents.*"]}}\n', "lines:1"

    def broker(self):
        return Broker(
            b'{"id":1,"method":"events.subscribe","params":{"topics":["compare.fan"]}}\n', "lines:1",
            b'{"method":"events.publish","params":{"topic":"compare.fan","data":', b"}}\n")


class Redis(Contestant):
    name = "redis"
    package = "redis-server"
    program = "redis-server"
    request = b"PING\r\n"

    def command(self, root):
        return [find(self.program), "--port", "0", "--unixsocket", self.address, "--save", "",
                "--appendonly", "no", "--dir", self.folder]

    def broker(self):
        # Six lines answer: an array of three, of two texts, each with its length, and a number.
        return Broker(b"SUBSCRIBE t\r\n", "lines:6", b"*3\r\n$7\r\nPUBLISH\r\n$1\r\nt\r\n$200\r\n", b"\r\n")


class Mosquitto(Contestant):
    name = "mosquitto"
    package = "mosquitto"
    program = "mosquitto"

    def command(self, root):
        settings = os.path.join(self.folder, "settings")
        lines = [f"listener 0 {self.address}", "allow_anonymous true", "persistence false", "log_type error"]
        if os.geteuid() == 0:
            lines.append("user root")  # or it would give up the right to its own folder
        with open(settings, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return [find(self.program), "-c", settings]

    def broker(self):
        # MQTT 3.1.1, each packet with its type and length first: a client whose name is chosen by the
        # broker, a subscription of "t", a message of 200 bytes to it that nobody acknowledges.
        connect_packet = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x00\x00\x00"
        subscribe = b"\x82\x06\x00\x01\x00\x01t\x00"
        length = 3 + 200
        publish = bytes([0x30, length % 128 | 128, length // 128]) + b"\x00\x01t"
        return Broker(connect_packet + subscribe, "bytes:9", publish, b"", connect_packet, "bytes:4")


class Nats(Contestant):
    name = "nats"
    package = "nats-server"
    program = "nats-server"

    def command(self, root):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f":{port}"
        return [find(self.program), "-a", "127.0.0.1", "-p", str(port)]

    def broker(self):
        hello = b'CONNECT {"verbose":false,"pedantic":false}\r\n'
        # The server speaks first; PING is answered after earlier requests.
        return Broker(hello + b"SUB t 1\r\nPING\r\n", "lines:2", b"PUB t 200\r\n", b"\r\n",
                      hello + b"PING\r\n", "lines:2")


class Watchman(Contestant):
    """With the shortest possible time to settle, which its subscribers wait for."""

    name = "watchman"
    package = "watchman"
    program = "watchman"
    request = b'["version"]\n'
    settle = 0

    def command(self, root):
        os.mkdir(os.path.join(self.folder, "state"), 0o700)
        with open(os.path.join(self.folder, "settings"), "w", encoding="utf-8") as file:
            json.dump({"settle": self.settle}, file)
        return [find(self.program), "--foreground", "--no-save-state", f"--sockname={self.address}",
                f"--logfile={self.folder}/log", f"--pidfile={self.folder}/pid",
                f"--statefile={self.folder}/state/file"]

    def environment(self):
        return dict(super().environment(), WATCHMAN_CONFIG_FILE=os.path.join(self.folder, "settings"))

    def prepare(self, root):
        self.root = root
        self.connection = Lines(self.address)
        if root is not None:
            self.ask(["watch", root])
            self.clock()

    def ask(self, request):
        answer = self.connection.ask(request)
        if "error" in answer:
            raise CouldNotRun(answer["error"])
        return answer

    def clock(self):
        return self.ask(["clock", self.root, {"sync_timeout": PATIENCE * 1000}])["clock"]

    def query(self, expression, **options):
        return self.ask(["query", self.root, {"expression": expression, "fields": ["name"], **options}])["files"]

    def count(self):
        return len(self.query(["type", "f"], sync_timeout=PATIENCE * 1000))

    def search(self, word, most):
        found = self.query(["allof", ["type", "f"], ["ipcre", word, "basename"]], sync_timeout=0)
        return found[:most], len(found)

    def changes(self, root):
        subscription = {"since": self.clock(), "fields": ["name", "exists", "size", "mtime_ms"]}
        return json.dumps(["subscribe", root, "changes", subscription]).encode() + b"\n", "lines:1"


class SettlingWatchman(Watchman):
    """With a millisecond to settle, without which it is always busy."""

    settle = 1


class Inotifywait(Contestant):
    name = "inotifywait"
    package = "inotify-tools"
    program = "inotifywait"
    brings_socket = False

    def command(self, root):
        return [find(self.program), "-m", "-r", "-e", "close_write,moved_to,delete", "--format", "%e %f", root]

    def prepare(self, root):
        deadline = time.monotonic() + 20
        while "Watches established" not in self.log():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise CouldNotRun(f"it did not start: {self.log()}")
            time.sleep(0.01)


class Relay(Contestant):
    """A minimal watcher, built here."""

    name = "relay"

    def command(self, root):
        return [self.tools["relay"], self.address, root]

    def changes(self, root):
        return b"", "bytes:0"


class StoringRelay(Relay):
    """The same with the system calls that ours makes: what is left between both is computing."""

    name = "disk relay"

    def command(self, root):
        store = os.path.join(self.folder, "store")
        os.mkdir(store)
        return super().command(root) + [store]


class Nobody(Contestant):
    """No watcher: what the work takes by itself."""

    name = "nobody"
    writing = None

    def start(self, root):
        # Nothing is ever written to it, and it does not end.
        reading, self.writing = os.pipe()
        self.output = os.fdopen(reading, "rb")

    def __exit__(self, *_):
        if self.writing is not None:
            os.close(self.writing)
        super().__exit__(*_)


class Tool(Contestant):
    """A program run for each search, which finds the names in a file or its own index."""

    brings_socket = False

    def start(self, root):
        pass

    def arguments(self, word, most):
        raise NotImplementedError

    def search(self, word, most):
        path = os.path.join(self.folder, "found")
        with open(path, "wb") as found, open(self.tools["names"], "rb") as names:
            # 1: no match.
            if subprocess.run(self.arguments(word, most), stdin=names, stdout=found,
                              stderr=subprocess.DEVNULL, env=self.environment(),
                              check=False).returncode not in (0, 1):
                raise CouldNotRun("a search failed")
        with open(path, "rb") as found:
            text = found.read()
        return text, text.count(b"\n")


class Plocate(Tool):
    name = "plocate"
    package = "plocate"
    program = "plocate"

    def start(self, root):
        updater = find("updatedb.plocate") or find("updatedb")
        self.index = os.path.join(self.folder, "index")
        subprocess.run(
            [updater, "-l", "0", "-U", root, "-o", self.index, "--prunefs", "", "--prunepaths", "",
             "--prune-bind-mounts", "no"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def arguments(self, word, most):
        return [find(self.program), "-d", self.index, "-i", "-b", "-l", str(most), word]


class Ripgrep(Tool):
    name = "ripgrep"
    package = "ripgrep"
    program = "rg"

    def arguments(self, word, most):
        return [find(self.program), "-i", "-F", "--no-mmap", word, self.tools["names"]]


class Fzf(Tool):
    name = "fzf"
    package = "fzf"
    program = "fzf"

    def arguments(self, word, most):
        return [find(self.program), "--exact", "--no-sort", "--filter", word]


PEERS = [Redis, Mosquitto, Nats, Watchman, Inotifywait, Plocate, Ripgrep, Fzf]


class Lines:
    """A connection on which each request is a line of JSON, and so is each answer."""

    def __init__(self, address):
        self._socket = connect(address)
        self._socket.settimeout(PATIENCE)

    def ask(self, request):
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        parts = []
        while not parts or not parts[-1].endswith(b"\n"):
            part = self._socket.recv(1 << 20)
            if not part:
                raise CouldNotRun("it closed the connection")
            parts.append(part)
        return json.loads(b"".join(parts))


def connect(address):
    if address.startswith(":"):
        return socket.create_connection(("127.0.0.1", int(address[1:])))
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.connect(address)
    except OSError:
        stream.close()
        raise
    return stream


def find(program):
    """Daemons are installed in folders that only root's PATH contains."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")

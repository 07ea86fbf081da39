"""The daemon, its clients, and what shows how long its loop is held."""

import json
import mmap
import multiprocessing
import os
import select
import shutil
import socket
import struct
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
PING_PAUSE = 0.001
# Those of 100 seconds, about.
PINGS_KEPT = 100_000
# After so long without a word of any list there is no more to come.
QUIET = 0.25
WINDOW = {"start": 0, "count": 50}


class CannotRun(Exception):
    """The reason why a row has no value."""


class TimeIsUp(Exception):
    """A step took longer than it may."""


class Limit:
    """The time that a step may take, from `begin` on."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.begin()

    def begin(self):
        self.end = time.monotonic() + self.seconds

    @property
    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeIsUp
        return left

    def wait_for(self, process):
        """Waits for the end of a process; returns its status.

        At once: Popen.wait with a limit looks only now and then."""
        handle = os.pidfd_open(process.pid)
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            if not poll.poll(self.left * 1000):
                raise TimeIsUp
        except BaseException:
            process.kill()
            raise
        finally:
            os.close(handle)
            process.wait()
        return process.returncode

    def run(self, *arguments):
        """Runs a program, which must end within the limit and without a failure; returns the little it prints."""
        with subprocess.Popen([str(each) for each in arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            status = self.wait_for(process)
            if status != 0:
                reason = process.stderr.read().decode(errors="replace").strip()
                raise CannotRun(f"{arguments[0]}: {reason[-300:] or f'status {status}'}")
            return process.stdout.read()


class Lists:
    """What notifications have said of the lists of one connection, by the list's number."""

    def __init__(self):
        # The last gen of which all rows have come, and the total then.
        self.complete = {}
        # Those that have more to come.
        self.unsettled = set()
        # When the first rows of a gen came.
        self.first_rows = {}
        self.names = {}
        self.last_news = 0.0

    def take(self, message):
        params = message["params"]
        if message["method"] not in ("items.reset", "items.delta"):
            return
        self.last_news = time.monotonic()
        number, gen = params["sub"], params["gen"]
        if message["method"] == "items.reset":
            if number in self.names:
                if params["chunk"] == 0:
                    self.names[number] = []
                self.names[number] += [each.get("name", "") for each in params["items"]]
            has_rows = bool(params["items"])
        else:
            has_rows = bool(params["inserted"] or params["moved"])
        if has_rows or params["complete"]:
            self.first_rows.setdefault((number, gen), self.last_news)
        if params["complete"] and params.get("last", True):
            self.complete[number] = (gen, params["total"])
            self.unsettled.discard(number)
        else:
            self.unsettled.add(number)


class Client:
    """One connection, on which requests are asked one at a time."""

    def __init__(self, path, limit):
        self.limit = limit
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(limit.left)
        self.socket.connect(path)
        self.buffer = bytearray()
        self.last_id = 0
        self.lists = Lists()

    def send(self, method, **params):
        self.last_id += 1
        line = json.dumps({"id": self.last_id, "method": method, "params": params})
        self.socket.settimeout(self.limit.left)
        self.socket.sendall(line.encode() + b"\n")
        return self.last_id

    def receive(self):
        """Waits for bytes, and returns the messages that they end."""
        self.socket.settimeout(self.limit.left)
        try:
            data = self.socket.recv(1 << 18)
        except TimeoutError:
            raise TimeIsUp from None
        if not data:
            raise CannotRun("the daemon closed the connection")
        self.buffer += data
        end = self.buffer.rfind(b"\n", len(self.buffer) - len(data))
        if end < 0:
            return []
        lines = bytes(self.buffer[:end]).split(b"\n")
        del self.buffer[:end + 1]
        messages = [json.loads(line) for line in lines]
        for message in messages:
            if "method" in message:
                self.lists.take(message)
        return messages

    def answer(self, number):
        while True:
            for message in self.receive():
                if message.get("id") == number and "method" not in message:
                    if "error" in message:
                        raise CannotRun(f"{message['error']}")
                    return message["result"]

    def ask(self, method, **params):
        return self.answer(self.send(method, **params))

    def sync(self):
        """Returns when the daemon knows of all changes so far. It has more time than this client."""
        self.ask("sync", timeoutMs=min(600_000, int(self.limit.left * 1000) + 10_000))

    def wait(self, number, gen=0):
        """Waits for all rows of a gen, or of a later one; returns their total."""
        while self.lists.complete.get(number, (-1, 0))[0] < gen:
            for message in self.receive():
                if message.get("id") == number and "error" in message:
                    raise CannotRun(f"{message['error']}")
        return self.lists.complete[number][1]

    def open(self, **query):
        """Opens a list; returns its number once its rows are there."""
        number = self.send("items.open", **{"window": WINDOW, "fields": ["name", "size"], **query})
        self.wait(number)
        return number

    def update(self, number, gen, **query):
        """Changes a list; returns the total once its rows are there."""
        self.ask("items.update", sub=number, gen=gen, **query)
        return self.wait(number, gen)

    def close(self):
        self.socket.close()


class Readers:
    """Reads for many clients in a thread of its own, so that nothing waits in the daemon until the test has time."""

    def __init__(self, clients):
        self.clients = clients
        self.fault = None
        self.wake, self.woken = os.pipe()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        poll = select.poll()
        by_number = {each.socket.fileno(): each for each in self.clients}
        for number in [self.wake, *by_number]:
            poll.register(number, select.POLLIN)
        while True:
            for number, _ in poll.poll():
                if number == self.wake:
                    return
                try:
                    by_number[number].receive()
                except (CannotRun, TimeIsUp, OSError, ValueError) as error:
                    self.fault = error
                    return

    @property
    def last_news(self):
        return max(each.lists.last_news for each in self.clients)

    def wait_until_quiet(self, limit):
        """Returns when the last list told of a change, once all are complete and none has told anything for a while."""
        begun = time.monotonic()
        while True:
            if self.fault is not None:
                raise CannotRun(f"a client of a list: {self.fault}")
            is_settled = not any(each.lists.unsettled for each in self.clients)
            if is_settled and time.monotonic() - max(begun, self.last_news) >= QUIET:
                return self.last_news
            time.sleep(min(QUIET / 5, limit.left))

    def stop(self):
        os.write(self.woken, b"x")
        self.thread.join()
        os.close(self.wake)
        os.close(self.woken)
        for each in self.clients:
            each.close()


class Pinger:
    """Another client, a process of its own, which asks for a ping a millisecond after the answer to the one before.

    Where it may, it goes before other processes, so that it tells of the daemon and not of itself."""

    def __init__(self, path):
        context = multiprocessing.get_context("fork")
        self.longest = context.Value("d", 0.0, lock=False)
        # When the ping under way was sent; 0 if none is.
        self.sent = context.Value("d", 0.0, lock=False)
        self.is_paused = context.Value("b", 1, lock=False)
        # In ms, the first of them; how many there are.
        self.waits = context.Array("f", PINGS_KEPT, lock=False)
        self.count = context.Value("q", 0, lock=False)
        self.process = context.Process(target=self.ping, args=(path,), daemon=True)
        self.process.start()

    def ping(self, path):
        try:
            os.nice(-10)
        except OSError:
            pass
        line = b'{"id":1,"method":"daemon.ping"}\n'
        parent = os.getppid()
        while os.getppid() == parent:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                while os.getppid() == parent:
                    if not self.is_paused.value:
                        self.sent.value = time.monotonic()
                        connection.sendall(line)
                        answer = b""
                        while not answer.endswith(b"\n"):
                            part = connection.recv(4096)
                            if not part:
                                raise ConnectionError
                            answer += part
                        self.note(time.monotonic() - self.sent.value)
                        self.sent.value = 0
                    time.sleep(PING_PAUSE)
            except OSError:
                # The daemon is not there, or not yet.
                self.sent.value = 0
                time.sleep(0.02)
            finally:
                connection.close()

    def note(self, seconds):
        self.longest.value = max(self.longest.value, seconds)
        if self.count.value < PINGS_KEPT:
            self.waits[self.count.value] = seconds * 1000
            self.count.value += 1

    def begin(self):
        self.is_paused.value = 0
        time.sleep(0.01)
        self.longest.value = 0.0
        self.count.value = 0

    def end(self):
        """The longest wait since `begin`, in ms: also of a ping that has no answer yet."""
        self.is_paused.value = 1
        sent = self.sent.value
        return max(self.longest.value, time.monotonic() - sent if sent else 0) * 1000

    def shares(self):
        """Half of the answers since `begin` came within so many ms, and 99 of 100."""
        waits = sorted(self.waits[:self.count.value])
        return waits[len(waits) // 2], waits[len(waits) * 99 // 100]

    def stop(self):
        self.process.kill()
        self.process.join()


class Hold:
    """The longest that the loop has run between two waits, on a processor: recorded by ../stream/turns.c."""

    # Those of turns.c, and behind them whether it pauses.
    NAMES = ("turns", "longest", "longest_on_processor", "over_1ms", "over_2ms", "on_processor")

    def __init__(self, private):
        self.library = compiled(private, "turns.so", ["../stream/turns.c"], "-fPIC", "-shared", last=["-ldl"])
        self.path = os.path.join(private, "turns")
        with open(self.path, "wb") as file:
            file.write(bytes(4096))
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 4096)
        self.pause()

    def pause(self):
        """Nothing is recorded until `begin`: reading the clocks would be counted as time of the daemon."""
        self.memory[8 * len(self.NAMES)] = 1

    def begin(self):
        self.memory[:8 * (len(self.NAMES) + 1)] = bytes(8 * (len(self.NAMES) + 1))

    def end(self):
        """In ms; None if nothing was recorded, as where no library may be loaded from this folder."""
        found = dict(zip(self.NAMES, struct.unpack_from(f"={len(self.NAMES)}Q", self.memory)))
        self.pause()
        return found["longest_on_processor"] / 1e6 if found["turns"] else None


def compiled(private, name, sources, *options, last=()):
    """The path of a program made of sources in C."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        raise CannotRun(f"there is no C compiler '{compiler}'")
    path = os.path.join(private, name)
    subprocess.run(
        [compiler, "-O2", "-Wall", *options, "-o", path, *(os.path.join(HERE, each) for each in sources), *last],
        check=True)
    return path


def processor_ms(pid):
    """The processor time of all threads of a process so far, in ms."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        except FileNotFoundError:
            if not os.path.exists(f"/proc/{pid}/schedstat"):
                raise CannotRun("this kernel has no /proc/PID/schedstat") from None
    return total / 1e6


class Daemon:
    """One run of pickerd on a tree, in a folder of its own. With `goes_on` it has the documents of the run before."""

    def __init__(self, binary, private, root, hold, limit, goes_on=False):
        self.limit = limit
        self.path = os.path.join(private, "sock")
        self.has_ended = False
        log = os.path.join(private, "log")
        settings = os.path.join(private, "config.toml")
        with open(settings, "wb"):
            pass
        if not goes_on:
            shutil.rmtree(os.path.join(private, "state"), ignore_errors=True)
        unwanted = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "XDG_CONFIG_HOME",
                    "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
        environment = {key: value for key, value in os.environ.items() if key not in unwanted}
        environment["HOME"] = private
        if hold is not None:
            environment |= {"LD_PRELOAD": hold.library, "TURNS_FILE": hold.path}
        with open(log, "wb") as file:
            start = time.monotonic()
            self.process = subprocess.Popen(
                [binary, "--root", root, "--socket", self.path, "--config", settings, "--state",
                 os.path.join(private, "state"), "--log-level", "warning"],
                env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            client = self.connected(log)
            if goes_on:
                self.total = client.ask("items.get", window=WINDOW)["total"]
                self.served_ms = (time.monotonic() - start) * 1000
            client.sync()
            self.ready_ms = (time.monotonic() - start) * 1000
            self.documents = client.ask("daemon.info")["documents"]
            client.close()
        except BaseException:
            self.kill()
            raise

    def connected(self, log):
        while True:
            try:
                return Client(self.path, self.limit)
            except OSError:
                if self.process.poll() is not None:
                    with open(log, encoding="utf-8", errors="replace") as file:
                        raise CannotRun(f"pickerd ended: {file.read()[-300:]}") from None
            time.sleep(min(0.001, self.limit.left))

    def client(self):
        return Client(self.path, self.limit)

    @property
    def pid(self):
        return self.process.pid

    def wait_until_stored(self):
        """Returns when the next run would have the documents of this one."""
        client = self.client()
        while not client.ask("daemon.info")["snapshot"]["stored"]:
            time.sleep(min(0.05, self.limit.left))
        client.close()

    def memory(self):
        """Resident, in MB."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    def memory_at_rest(self):
        """The same when it has not changed for half a second, or after five."""
        since = changed = time.monotonic()
        last = self.memory()
        while time.monotonic() - changed < 0.5 and time.monotonic() - since < 5:
            time.sleep(0.05)
            now = self.memory()
            if now != last:
                last, changed = now, time.monotonic()
        return last

    def stop(self):
        """Asks it to end; returns after how many ms it had."""
        start = time.monotonic()
        self.process.terminate()
        try:
            self.limit.wait_for(self.process)
            return (time.monotonic() - start) * 1000
        finally:
            self.has_ended = True

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.has_ended = True

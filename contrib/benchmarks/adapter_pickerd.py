"""How pickerd is run and spoken to, for the peer benchmarks (see README.md beside this file).

The benchmarks ask an adapter module for command lines and request lines. What they pass on to their
own load generators is escaped as in C, so a line's end is written as a backslash and an n.
"""

import json
import os
import socket

NAME = "pickerd"
BINARY = os.environ.get("PICKERD_BIN", "pickerd")

_socket_path = None  # of the daemon started last, for the count below


def _line(method, params=None, request=1):
    message = {"method": method}
    if request is not None:
        message["id"] = request
    if params is not None:
        message["params"] = params
    return message


def _escaped(message):
    return json.dumps(message, separators=(",", ":")).replace("\\", "\\\\") + "\\n"


def argv(root, sock):
    """The daemon on `root`, with settings and state of its own beside its socket."""
    global _socket_path
    _socket_path = sock
    settings = sock + ".toml"
    with open(settings, "w", encoding="utf-8"):
        pass
    return [BINARY, "--root", root, "--socket", sock, "--state", sock + ".state",
            "--config", settings, "--log-level", "error"]


def env(root, sock):
    return {}


def changes(root):
    """What subscribes to changes of files, and how many lines answer it."""
    return _escaped(_line("events.subscribe", {"topics": ["documents.*"]})), 1


def bus():
    """What subscribes on the bus, its answer's lines, and a message around its payload."""
    subscribe = _escaped(_line("events.subscribe", {"topics": ["bench.fan"]}))
    before, after = json.dumps(
        _line("events.publish", {"topic": "bench.fan", "data": 0}, request=None),
        separators=(",", ":"),
    ).rsplit("0", 1)
    return subscribe, 1, before, after + "\\n"


def ping():
    return _escaped(_line("daemon.ping"))


def ready_request(root):
    """Answered once all that was on disk before it is in the set, first scan included."""
    return _line("sync", {"timeoutMs": 120_000})


def ready_count(reply):
    """How many documents there are; asked for on a connection of its own, after `reply` came."""
    if "error" in reply:
        raise RuntimeError(reply["error"])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(_socket_path)
        request = _line("items.get", {"window": {"start": 0, "count": 0}})
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as lines:
            answer = json.loads(lines.readline())
    return answer["result"]["total"] - 1  # the first item stands for a new document


def search_request(text, limit):
    window = {"start": 0, "count": limit or None}
    return _line("items.get", {"search": text, "fields": ["name"], "window": window})


def search_count(reply):
    if "error" in reply:
        raise RuntimeError(reply["error"])
    return reply["result"]["total"]

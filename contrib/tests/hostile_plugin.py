#!/usr/bin/python3 -B
"""A plugin that does one bad thing: the one that its id names. It uses no kit, which would keep it from that."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from typing import Any

NAME = os.environ["PICKERD_PLUGIN"]
wire = socket.socket(fileno=3)


def send(message: Any) -> None:
    wire.sendall(json.dumps(message).encode() + b"\n")


def bomb() -> None:
    """256 processes at most, each of which ends after twenty seconds."""
    signal.alarm(20)
    for _ in range(8):
        os.fork()
        signal.alarm(20)
    while True:
        signal.pause()


def stay(*, ignoring_term: bool) -> None:
    """Closes descriptor 3, and lives on."""
    if ignoring_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.alarm(60)
    # Not by the object, which leaves it to the reader that was made of it.
    os.close(3)
    while True:
        signal.pause()


def hide() -> None:
    """Leaves a process in a session of its own, whose parent is gone, and which nothing tells of the end."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(3)
        signal.alarm(120)
        while True:
            signal.pause()
    os.wait()


def flood() -> None:
    """Asks and asks, and reads no answer."""
    line = json.dumps({"id": 1, "method": "plugins.list", "params": {}}).encode() + b"\n"
    for _ in range(20_000):
        wire.sendall(line)


def ask(number: int, count: int) -> None:
    """Many requests of its own before it answers; the answers to them are skipped by the loop below."""
    for other in range(count):
        send({"id": other + 1_000_000, "method": "daemon.ping", "params": {}})
    send({"id": number, "result": {"asked": count}})


def slowly(line: bytes) -> None:
    for byte in line:
        wire.sendall(bytes([byte]))
        time.sleep(1)


def lie(files: list[dict[str, Any]]) -> list[Any]:
    answers: list[Any] = []
    for file in files:
        status = os.stat(file["path"])
        seen = [status.st_ino, status.st_size, *divmod(status.st_mtime_ns, 10**9)]
        values: dict[str, Any] = {"liar.number": 1, "liar.word": "true"}
        kind = os.path.basename(file["path"]).partition(".")[0]
        if kind == "type":
            values = {"liar.number": "666", "liar.word": 666}
        if kind == "unknown":
            values.update({"liar.other": 666, "image.width": 666, "name": "666", "size": 666})
        if kind == "long":
            values["liar.word"] = "666" * 1000
        if kind == "big":
            values["liar.number"] = 1 << 70
        if kind == "seen":
            values, seen = {"liar.number": 666, "liar.word": "666"}, [seen[0], seen[1] + 1, *seen[2:]]
        if kind == "shape":
            answers.append([666])
        elif kind == "deep":
            answers.append({"values": {"liar.number": {"liar.number": 666}, "liar.word": ["666"]}, "seen": seen})
        else:
            answers.append({"values": values, "seen": seen})
    return answers


def call(number: int, params: dict[str, Any]) -> None:
    if NAME == "endless":
        wire.sendall(b"[" + b"1," * (1 << 20))
    elif NAME == "loris":
        slowly(json.dumps({"id": number, "result": {}}).encode())
    elif NAME == "overrun":
        pass
    elif NAME == "memory":
        kept = [b"x" * (1 << 20) for _ in range(1024)]
        send({"id": number, "result": {"kept": len(kept)}})
    elif NAME == "nonsense":
        for _ in range(100):
            wire.sendall(b"nonsense\n")
    elif NAME == "twice":
        send({"id": number, "result": {"word": params["word"]}})
        send({"id": number, "result": {"word": "666"}})
    elif NAME == "mistyped":
        send({"id": number, "result": {"word": 666}})
    elif NAME == "closes":
        stay(ignoring_term=False)
    elif NAME == "immortal":
        stay(ignoring_term=True)
    elif NAME == "noisy":
        for _ in range(100):
            os.write(2, b"noise " * (1 << 17) + b"noisy" * (1 << 16))
            os.write(2, b"\n")
        send({"id": number, "result": {"word": params["word"]}})
    elif NAME == "flood":
        flood()
    elif NAME == "asking":
        # The answers have to be read meanwhile, by the loop.
        threading.Thread(target=ask, args=(number, params["count"])).start()
    elif NAME == "bomb":
        bomb()
    elif NAME == "hidden":
        hide()
        send({"id": number, "result": {}})
    else:
        send({"id": number, "result": {"word": params.get("word", "")}})


def number(file: dict[str, Any]) -> dict[str, Any]:
    """What a file says, which is a number."""
    with open(file["path"], encoding="utf-8") as opened:
        status = os.fstat(opened.fileno())
        seen = [status.st_ino, status.st_size, *divmod(status.st_mtime_ns, 10**9)]
        text = opened.read()
    # One that is being written is empty for a moment.
    return {"values": {"good.number": int(text)}, "seen": seen} if text else {"retry": True}


held: list[tuple[int, dict[str, Any]]] = []


def handle(request: int, method: str, params: dict[str, Any]) -> None:
    if method == "plugin.hello":
        if NAME != "silent":
            send({"id": request, "result": {"api": 1, "version": "1"}})
    elif method == "attributes.extract":
        files = [number(file) for file in params["files"]] if NAME == "good" else lie(params["files"])
        if params["group"] == "more":
            # One more than was asked for, so that each value is another file's.
            files = [{"values": {"liar.more": 666}}] * (len(files) + 1)
        send({"id": request, "result": {"files": files}})
    elif method == "disorder.call":
        held.append((request, params))
        if len(held) == 4:
            for other, its in reversed(held):
                send({"id": other, "result": {"word": its["word"]}})
            held.clear()
    elif method.endswith(".call"):
        call(request, params)
    elif method == "plugin.stop":
        send({"id": request, "result": {}})
        sys.exit(0)
    else:
        send({"id": request, "result": {}})


for text in wire.makefile("rb"):
    message = json.loads(text)
    if "id" in message and "method" in message:
        handle(message["id"], message["method"], message.get("params", {}))

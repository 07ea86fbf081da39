#!/usr/bin/python3 -B
"""A plugin without any kit, that has at most one fault: the word in FAULT, which contrib/tests/kit.py writes there.

It shows the least that a plugin needs, and does nothing that a good one should do besides.
"""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import socket
import stat
import sys
import time
from typing import Any

FAULT = "none"

wire = socket.socket(fileno=3)
buffer = b""
leak: list[bytes] = []
first_seen: dict[bytes, list[int]] = {}
asked = 0
last_id = 0

if FAULT == "ignores TERM":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def send(message: Any) -> None:
    wire.sendall(json.dumps(message, ensure_ascii=False).encode() + b"\n")


def lines() -> list[bytes]:
    """Waits for lines; ends the process at the end of the socket."""
    global buffer
    while b"\n" not in buffer:
        data = wire.recv(1 << 20)
        if not data:
            if FAULT == "stays after the socket":
                time.sleep(60)
            sys.exit(0)
        if len(data) == 1 and FAULT == "dies of single bytes":
            sys.exit(3)
        buffer += data
        if len(buffer) > 1 << 19 and FAULT == "dies of long lines":
            sys.exit(3)
    *whole, buffer = buffer.split(b"\n")
    return whole


class Refusal(Exception):
    pass


def read(entry: dict[str, Any], group_size: int) -> dict[str, Any]:
    if "pathB64" in entry:
        if FAULT == "knows UTF-8 only":
            return {"error": "what is pathB64?"}
        path = base64.b64decode(entry["pathB64"])
    else:
        path = entry["path"].encode()
    try:
        status = os.stat(path)
    except OSError as error:
        return {"values": {"text.lines": 0}} if FAULT == "sees what is missing" else {"error": str(error)}
    if stat.S_ISFIFO(status.st_mode) and FAULT == "waits for a pipe":
        os.open(path, os.O_RDONLY)
    if stat.S_ISDIR(status.st_mode) and FAULT == "reads folders":
        return {"values": {"text.lines": len(os.listdir(path))}}
    if stat.S_ISSOCK(status.st_mode) and FAULT == "reads sockets":
        return {"values": {"text.lines": 1}}
    if not stat.S_ISREG(status.st_mode):
        return {"error": "it is no file"}
    if status.st_size == 0 and FAULT == "dies of an empty file":
        sys.exit(3)
    if status.st_size > 1 << 30 and FAULT == "reads all of a huge file":
        time.sleep(60)
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        return {"error": str(error)}
    text = os.read(number, 1 << 16)
    if not text.endswith(b"\n") and 0 < len(text) < 1000 and FAULT == "dies of half a file":
        sys.exit(3)
    status = os.fstat(number)
    os.close(number)
    seen = [status.st_ino, status.st_size, *divmod(status.st_mtime_ns, 10**9)]
    if FAULT == "looks at the path afterwards" and b"replaced" in path:
        time.sleep(0.003)
        seen[1] = os.stat(path).st_size
    if FAULT == "lies about what it saw":
        seen[2] += 1
    if FAULT == "reads nothing":
        return {"error": "it is not to be read"}
    if FAULT == "takes more and more memory":
        leak.append(random.randbytes(2000))
    values: dict[str, Any] = {"text.lines": text.count(b"\n"), "text.words": len(text.split())}
    if FAULT == "has values of other types":
        values["text.words"] = str(values["text.words"])
    if FAULT == "has values of other names":
        values["text.letters"] = 5
    return {"values": values, "seen": seen}


def extract(params: dict[str, Any]) -> Any:
    global asked
    files = params["files"]
    answers = [read(entry, len(files)) for entry in files]
    for answer in answers:
        if "values" in answer and FAULT != "answers what is not wanted":
            kept = {name: answer["values"][name] for name in answer["values"] if name in params["want"]}
            if "text.letters" in answer["values"]:
                kept["text.letters"] = 5
            answer["values"] = kept
    if FAULT == "answers in another order" and len(files) == 64:
        values = [answer.get("values") for answer in answers]
        for answer, other in zip(answers, values[::-1], strict=True):
            if "values" in answer and other is not None:
                answer["values"] = other
    if FAULT == "answers otherwise each time" and len(files) == 64 and files[0]["path"].endswith("-0.txt"):
        asked += 1
        answers[0]["values"]["text.words"] += asked
    if FAULT == "leaves files out" and len(files) == 64:
        answers.pop()
    return {"files": answers}


def call_daemon() -> None:
    """Asks the daemon something, and waits for nothing but the answer."""
    global last_id, buffer
    last_id += 1
    send({"id": last_id, "method": "daemon.ping", "params": {}})
    late: list[bytes] = []
    while True:
        whole = lines()
        for index, line in enumerate(whole):
            message = json.loads(line)
            if "method" not in message:
                late += whole[index + 1 :]
                buffer = b"".join(line + b"\n" for line in late) + buffer
                if FAULT == "wants the daemon" and "error" in message:
                    raise Refusal(message["error"]["message"])
                return
            if message["method"] == "plugin.ping" and FAULT != "waits for its own call alone":
                send({"id": message["id"], "result": {}})
            else:
                late.append(line)


def answer(method: str, params: dict[str, Any]) -> Any:
    if method == "plugin.hello":
        if any(name in params for name in ("later", "features")) and FAULT == "dies of unknown members":
            sys.exit(3)
        claims = FAULT == f"claims version {params['api']}"
        if params["api"] != 1 and not claims:
            raise Refusal("there is version 1 only")
        provides = ["extract", "source", "action", "method"]
        if FAULT == "has no version":
            return {"provides": provides}
        return {"api": params["api"], "version": "1", "provides": provides}
    if method == "plugin.ping" or method == "plugin.stop":
        return {}
    if method == "plugin.configure":
        if FAULT == "refuses settings":
            raise Refusal("no settings")
        return {}
    if method == "attributes.extract":
        return extract(params)
    if method == "kit.count":
        return {"words": "many" if FAULT == "has results of other types" else len(params["text"].split())}
    if method == "kit.ask":
        call_daemon()
        return {}
    if method == "source.open":
        return {"epoch": "a", "rev": 1, "resumed": FAULT == "resumes from nothing"}
    if method == "action.run":
        done = {"ok": True} if FAULT == "does what can't be done" else {"error": "it is gone"}
        return {"items": [done for _ in params["items"]]}
    raise LookupError(method)


def reset_source() -> None:
    global last_id
    last_id += 1
    item = {"id": "x1", "name": "one"}
    if FAULT == "has items without a name":
        del item["name"]
    if FAULT == "sends no items":
        return
    if FAULT == "has items with long URIs":
        item["uri"] = "u" * 8193
    if FAULT == "has items of 100 KiB":
        item["note"] = "x" * 100_000
    chunk = 1 if FAULT == "begins with the second chunk" else 0
    put = [{**item, "id": str(n)} for n in range(10_000)] if FAULT == "sends all in one chunk" else [item]
    params = {"source": "all", "rev": 1, "chunk": chunk, "last": True, "put": put}
    send({"id": last_id, "method": "source.reset", "params": params})


def handle(message: dict[str, Any]) -> None:
    method, number = message.get("method"), message.get("id")
    if method is None:
        return
    if number is None:
        if method == "$/cancel" and message["params"]["id"] == 1_000_000 and FAULT == "dies of a late cancel":
            sys.exit(3)
        if method == "$/isNoNotification" and FAULT == "answers notifications":
            send({"id": 999_999, "result": {}})
        return
    if method == "plugin.ping" and FAULT == "answers no pings":
        return
    if method == "plugin.hello" and FAULT == "answers nothing":
        return
    if method == "attributes.extract" and FAULT == "can't be cancelled" and b"attributes.extract" in buffer_ahead:
        time.sleep(4)
    try:
        send({"id": number, "result": answer(method, message.get("params", {}))})
    except LookupError:
        code = {"knows no code": -32000}.get(FAULT, -32601)
        if FAULT == "knows every method":
            send({"id": number, "result": {}})
        else:
            send({"id": number, "error": {"code": code, "message": "no such method"}})
    except Refusal as refusal:
        send({"id": number, "error": {"code": 1004, "message": str(refusal)}})
    if method == "plugin.hello" and FAULT == "sends what is no JSON":
        wire.sendall(b"hello\n")
    if method == "plugin.hello" and FAULT == "prints on standard output":
        print("hello", flush=True)
    if method == "plugin.hello" and FAULT == "prints on standard error":
        print("hello", file=sys.stderr, flush=True)
    if method == "plugin.configure" and FAULT == "answers twice":
        send({"id": number, "result": {}})
        send({"id": number, "result": {}})
    if method == "source.open":
        reset_source()
    if method == "plugin.stop" and FAULT != "stays after plugin.stop":
        sys.exit(0)


buffer_ahead = b""
while True:
    whole = lines()
    if FAULT == "takes one line at a time" and all(b"plugin.ping" in line for line in whole):
        whole = whole[:1]
    for index, line in enumerate(whole):
        buffer_ahead = b"".join(whole[index + 1 :]) + buffer
        handle(json.loads(line))

"""The publishers, each a process with a connection, as fast as the daemon accepts events."""

import json
import random
import socket
import threading

_BATCH = 64 << 10


def _counted(number, size):
    """Data of about that many bytes: who sends, how many before, and a text with its length."""
    if size < 20:
        return f"[{number},%d]"
    # %d is the count, so that a line takes a single formatting.
    return f'[{number},%d,{size},"{"x" * size}"]'


def _templates(number, with_ids, sizes, rng):
    """Lines with places for the count, and for an id where there is one."""
    made = []
    for index in range(64):
        head = '{"id":%d,' if with_ids else "{"
        topic = f"soak.p{number}.t{index % 7}"
        data = _counted(number, rng.choice(sizes))
        made.append((head + f'"method":"events.publish","params":{{"topic":"{topic}","data":{data}}}}}'
                     "\n").encode())
    return made


def _read_answers(connection, result):
    """Counts the answers; each must have a higher number than the one before."""
    last = 0
    rest = b""
    while data := connection.recv(256 << 10):
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        for each in lines:
            reply = json.loads(each)
            if "result" not in reply or reply["result"]["seq"] <= last:
                result["faults"].append(f"publisher {result['number']}: {each[:200]!r} after {last}")
            else:
                last = reply["result"]["seq"]
                result["answered"] += 1


def publish(path, stop, results, number, with_ids, sizes):
    """Publishes until `stop` is set, and puts the outcome into `results`."""
    templates = _templates(number, with_ids, sizes, random.Random(number))
    result = {"kind": "publisher", "number": number, "sent": 0, "answered": 0, "faults": []}
    count = 0
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        reader = threading.Thread(target=_read_answers, args=(connection, result))
        reader.start()
        while not stop.is_set():
            lines = []
            size = 0
            while size < _BATCH:
                template = templates[count % len(templates)]
                lines.append(template % ((count, count) if with_ids else count))
                size += len(lines[-1])
                count += 1
            connection.sendall(b"".join(lines))
        # Messages in flight are processed before the daemon sees the end.
        connection.shutdown(socket.SHUT_WR)
        reader.join()
    result["sent"] = count
    if with_ids and result["answered"] != count:
        result["faults"].append(
            f"publisher {number}: {count} sent and {result['answered']} answered")
    results.put(result)

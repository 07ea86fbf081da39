#!/usr/bin/env python3
"""Runs the exchanges in conformance/ with pickerd.py's connection, each against a daemon of its own.

What the daemon answers is also held against what it says of itself (``daemon.schema``), if it does:
each result, each error and each notification must be as the OpenRPC document has it.

usage: PICKERD_BINARIES=FOLDER ./test_conformance.py [FOLDER OF EXCHANGES]
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pickerd import Client, Connection, Json, PickerdError, Refused

PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))
KINDS = {
    "@string": lambda value: isinstance(value, str),
    "@number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "@integer": lambda value: isinstance(value, (int, float))
    and not isinstance(value, bool)
    and value == int(value),
}


class Mismatch(Exception):
    """An exchange went otherwise than its file says."""


class Schema:
    """As much of JSON Schema 2020-12 as a document of this kind uses. A keyword that is not known is an
    error, so that nothing counts as checked that is not."""

    annotations = {"title", "description", "examples", "default", "$comment", "deprecated", "$schema", "$id"}

    def __init__(self, document: Json) -> None:
        self.document = document

    def check(self, value: Json, schema: Json, path: str) -> None:
        """Raises ``Mismatch`` unless the value is as the schema says."""
        if schema is True:
            return
        if schema is False:
            raise Mismatch(f"{path}: nothing may be here")
        for keyword, wanted in schema.items():
            if keyword in self.annotations or keyword in ("$defs", "then", "else"):
                continue
            check = getattr(self, "_" + keyword.lstrip("$"), None)
            if check is None:
                raise Mismatch(f"{path}: the keyword '{keyword}' of the schema is not known here")
            check(value, wanted, path, schema)

    def holds(self, value: Json, schema: Json) -> bool:
        """Whether the value is as the schema says."""
        try:
            self.check(value, schema, "")
        except Mismatch as error:
            if "is not known here" in str(error):
                raise
            return False
        return True

    def _ref(self, value: Json, target: str, path: str, _: Json) -> None:
        found = self.document
        for step in target.removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        self.check(value, found, path)

    def _type(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        words = [wanted] if isinstance(wanted, str) else wanted
        is_number = KINDS["@number"](value)
        fits = {
            "null": value is None, "boolean": isinstance(value, bool), "string": isinstance(value, str),
            "array": isinstance(value, list), "object": isinstance(value, dict), "number": is_number,
            "integer": is_number and value == int(value),
        }  # fmt: skip
        if not any(fits[word] for word in words):
            raise Mismatch(f"{path}: {value!r:.80} is not {' or '.join(words)}")

    def _const(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if value != wanted:
            raise Mismatch(f"{path}: {value!r:.80} is not {wanted!r}")

    def _enum(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if value not in wanted:
            raise Mismatch(f"{path}: {value!r:.80} is none of {wanted!r}")

    def _properties(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for name, schema in wanted.items():
            if isinstance(value, dict) and name in value:
                self.check(value[name], schema, f"{path}.{name}")

    def _required(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for name in wanted:
            if isinstance(value, dict) and name not in value:
                raise Mismatch(f"{path}: there is no '{name}' in {value!r:.200}")

    def _additionalProperties(self, value: Json, wanted: Json, path: str, schema: Json) -> None:
        if isinstance(value, dict):
            patterns = schema.get("patternProperties", {})
            for name in value.keys() - schema.get("properties", {}).keys():
                if not any(re.search(pattern, name) for pattern in patterns):
                    self.check(value[name], wanted, f"{path}.{name}")

    def _patternProperties(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for pattern, schema in wanted.items():
            for name in value if isinstance(value, dict) else ():
                if re.search(pattern, name):
                    self.check(value[name], schema, f"{path}.{name}")

    def _propertyNames(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for name in value if isinstance(value, dict) else ():
            self.check(name, wanted, f"{path}.{name}")

    def _prefixItems(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for index, schema in enumerate(wanted):
            if isinstance(value, list) and index < len(value):
                self.check(value[index], schema, f"{path}[{index}]")

    def _items(self, value: Json, wanted: Json, path: str, schema: Json) -> None:
        first = len(schema.get("prefixItems", ()))
        if isinstance(value, list):
            for index, element in enumerate(value[first:], first):
                self.check(element, wanted, f"{path}[{index}]")

    def _allOf(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        for schema in wanted:
            self.check(value, schema, path)

    def _anyOf(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if not any(self.holds(value, schema) for schema in wanted):
            raise Mismatch(f"{path}: {value!r:.200} is like none of what it may be")

    def _oneOf(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        count = sum(self.holds(value, schema) for schema in wanted)
        if count != 1:
            raise Mismatch(f"{path}: {value!r:.200} is like {count} of what it may be one of")

    def _not(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if self.holds(value, wanted):
            raise Mismatch(f"{path}: {value!r:.200} is what it must not be")

    def _minimum(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if KINDS["@number"](value) and value < wanted:
            raise Mismatch(f"{path}: {value} is under {wanted}")

    def _maximum(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if KINDS["@number"](value) and value > wanted:
            raise Mismatch(f"{path}: {value} is over {wanted}")

    def _exclusiveMinimum(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if KINDS["@number"](value) and value <= wanted:
            raise Mismatch(f"{path}: {value} is not over {wanted}")

    def _minItems(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if isinstance(value, list) and len(value) < wanted:
            raise Mismatch(f"{path}: fewer than {wanted} elements")

    def _maxItems(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if isinstance(value, list) and len(value) > wanted:
            raise Mismatch(f"{path}: more than {wanted} elements")

    def _minLength(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if isinstance(value, str) and len(value) < wanted:
            raise Mismatch(f"{path}: {value!r:.80} has fewer than {wanted} characters")

    def _maxLength(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        if isinstance(value, str) and len(value) > wanted:
            raise Mismatch(f"{path}: {value!r:.80} has more than {wanted} characters")

    def _pattern(self, value: Json, wanted: str, path: str, _: Json) -> None:
        if isinstance(value, str) and not re.search(wanted, value):
            raise Mismatch(f"{path}: {value!r:.80} does not match {wanted}")

    def _format(self, value: Json, wanted: Json, path: str, _: Json) -> None:
        """Says something to people only."""


class Contract:
    """What the daemon says of its methods and notifications."""

    def __init__(self, document: Json) -> None:
        self.schema = Schema(document)
        methods = {method["name"]: method for method in document["methods"]}
        # A method without a result is a notification of clients.
        self.results = {name: one["result"]["schema"] for name, one in methods.items() if "result" in one}
        self.errors = {
            name: {document["components"]["errors"][_last(error["$ref"])]["code"] for error in one["errors"]}
            for name, one in methods.items()
            if "errors" in one
        }
        self.notifications = {one["name"]: one["params"] for one in document["x-notifications"]}

    def check_result(self, method: str, result: Json) -> None:
        """A result is as its method has it."""
        if method not in self.results:
            raise Mismatch(f"the schema has no method {method}")
        self.schema.check(result, self.results[method], f"the result of {method}")

    def check_error(self, method: str, error: Json) -> None:
        """An error is one of those that its method may have."""
        code = error["code"]
        # A method that is there has none of it, unless its plugin was switched off.
        if code != -32601 and code not in self.errors.get(method, []):
            raise Mismatch(f"{method} does not have the error {code} in the schema")

    def check_notification(self, method: str, params: Json) -> None:
        """The parameters are as the notification has them."""
        if method not in self.notifications:
            raise Mismatch(f"the schema has no notification {method}")
        self.schema.check(params, self.notifications[method], method)


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


class Exchange:
    """One file, with a connection."""

    def __init__(self, connection: Connection, root: str, contract: Contract | None) -> None:
        self.connection = connection
        self.contract = contract
        self.known: dict[str, Json] = {"root": root}
        self.asked: dict[str, tuple[int, str]] = {}
        self.notifications: list[tuple[str, Json]] = []
        connection.on_notification = self._note

    def _note(self, method: str, params: dict[str, Json]) -> None:
        if self.contract is not None:
            self.contract.check_notification(method, params)
        self.notifications.append((method, params))

    def run(self, line: str) -> None:
        """Does what one line says."""
        mark, _, rest = line.partition(" ")
        if mark == "=":
            # Behind all that was due before it.
            self.connection.request("daemon.ping", timeout=PATIENCE)
            self.finish()
            return
        name, _, rest = rest.partition(" ")
        match mark:
            case ">":
                method, _, params = rest.partition(" ")
                filled = self._filled(json.loads(params or "{}"))
                self.asked[name] = (self.connection.send(method, filled), method)
                self.known[name] = self.asked[name][0]
            case "<":
                number, method = self.asked.pop(name)
                result = self.connection.answer(number, _deadline())
                if self.contract is not None:
                    self.contract.check_result(method, result)
                self._match(result, json.loads(rest), name)
            case "!":
                number, method = self.asked.pop(name)
                try:
                    result = self.connection.answer(number, _deadline())
                except Refused as refusal:
                    error = {"code": refusal.code, "message": refusal.message, "data": refusal.data}
                    if self.contract is not None:
                        self.contract.check_error(method, error)
                    self._match(error, json.loads(rest), name)
                else:
                    raise Mismatch(f"{method} should fail, and gave {result!r:.200}")
            case "*":
                while not self.notifications:
                    if not self.connection.pump(_deadline()):
                        raise Mismatch(f"no {name} came in {PATIENCE} s")
                method, params = self.notifications.pop(0)
                if method != name:
                    raise Mismatch(f"{method} came, not {name}: {params!r:.200}")
                self._match(params, json.loads(rest), name)
            case _:
                raise Mismatch(f"'{mark}' begins no line")

    def finish(self) -> None:
        """Nothing has come that was not waited for."""
        if self.notifications:
            raise Mismatch(f"nobody waited for {self.notifications[0]!r:.300}")

    def end(self) -> None:
        """At the end of the file."""
        self.run("=")
        if self.asked:
            raise Mismatch(f"nobody waited for the answer to {', '.join(self.asked)}")

    def _filled(self, value: Json) -> Json:
        if isinstance(value, dict):
            return {name: self._filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._filled(element) for element in value]
        if isinstance(value, str) and value.startswith("@"):
            return self.known[value[1:]]
        return value

    def _match(self, value: Json, pattern: Json, path: str) -> None:
        if isinstance(pattern, str) and pattern.startswith("@"):
            if pattern == "@any":
                return
            if pattern in KINDS:
                if not KINDS[pattern](value):
                    raise Mismatch(f"{path}: {value!r:.200} is no {pattern[1:]}")
                return
            if self.known.setdefault(pattern[1:], value) != value:
                before = self.known[pattern[1:]]
                raise Mismatch(f"{path}: {value!r:.200} is not the {pattern} of before, {before!r:.200}")
            return
        if isinstance(pattern, dict) and isinstance(value, dict):
            for name, wanted in pattern.items():
                if name not in value:
                    raise Mismatch(f"{path}: there is no '{name}' in {value!r:.300}")
                self._match(value[name], wanted, f"{path}.{name}")
            return
        if isinstance(pattern, list) and isinstance(value, list) and len(pattern) == len(value):
            for index, (element, wanted) in enumerate(zip(value, pattern)):
                self._match(element, wanted, f"{path}[{index}]")
            return
        same_kind = isinstance(value, bool) == isinstance(pattern, bool)
        if value != pattern or not same_kind:
            raise Mismatch(f"{path}: it is {value!r:.300}, and should be {pattern!r:.300}")


def _deadline() -> float:
    return time.monotonic() + PATIENCE


def run(file: Path, place: Path) -> str | None:
    """Runs a file against a new daemon. Returns what went wrong."""
    root, socket = place / "root", str(place / "sock")
    root.mkdir()
    program = os.path.join(os.environ["PICKERD_BINARIES"], "pickerd")
    arguments = [program, str(root), "--socket", socket, "--state", str(place / "state")]
    environment = {"HOME": str(place), "PATH": os.environ["PATH"]}
    with open(place / "log", "wb") as log:
        daemon = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment)
    number, line = 0, ""
    try:
        with Client(socket) as client:
            client.wait_for_daemon(PATIENCE)
            try:
                contract = Contract(client.schema())
            except Refused as refusal:
                if refusal.kind != "methodNotFound":
                    raise
                contract = None
        with Connection(socket) as connection:
            exchange = Exchange(connection, str(root), contract)
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                if line and not line.startswith("#"):
                    exchange.run(line)
            exchange.end()
    except (Mismatch, PickerdError, ValueError, KeyError) as error:
        return f"line {number}: {line:.200}\n{type(error).__name__}: {error}"
    finally:
        daemon.kill()
        daemon.wait()
    return None


def main(arguments: list[str]) -> int:
    """Runs all files; status 1 if one of them failed, or there are none."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "conformance"
    files = sorted(folder.glob("*.txt"))
    failures = 0
    for file in files:
        place = Path(tempfile.mkdtemp(suffix="-pickerd-conformance"))
        try:
            wrong: Any = run(file, place)
        finally:
            shutil.rmtree(place)
        print(f"{'ok' if wrong is None else 'not ok'} - conformance: {file.stem}", flush=True)
        for said in (wrong or "").splitlines():
            print(f"    {said}", flush=True)
        failures += wrong is not None
    if not files:
        print(f"not ok - conformance: there are no exchanges in {folder}")
    return 0 if files and not failures else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

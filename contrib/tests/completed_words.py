#!/usr/bin/env python3
"""Compares what `pickerctl` offers to shells with what the parsers of arguments of both programs say of themselves."""

import json
import subprocess
import sys

# Values that somebody makes up.
FREE = {
    "search", "limit", "height", "preview", "prompt", "header", "format", "bounds", "option", "size", "page", "content",
    "args", "exec", "count", "timeout", "call", "config", "patience", "save",
}
FREE_OF_EVENTS = {"replay"}
FREE_ARGUMENTS = {("new", "name"), ("publish", "json")}


def offered(program: str, *words: str) -> tuple[str, list[str]]:
    """What is offered for the last word: the kind, and the words."""
    found = subprocess.run(
        ["pickerctl", "---complete", "zsh", program, *words], stdout=subprocess.PIPE, check=True).stdout.decode(errors="replace")
    kind, *rest = found.split("\0")[:-1]
    return kind, rest[::2]


def says_something(answer: tuple[str, list[str]]) -> bool:
    kind, words = answer
    return kind in ("files", "folders") or words != []


def look(command: dict, path: list[str]) -> list[str]:
    wrong = []
    below = [each["commandName"] for each in command.get("subcommands", [])]
    if below and sorted(offered(*path, "")[1]) != sorted(below):
        wrong.append(f"{path}: {offered(*path, '')} and not {below}")
    names = set()
    positional = 0
    for argument in command.get("arguments", []):
        if not argument["shouldDisplay"]:
            continue
        if argument["kind"] == "positional":
            name = argument["valueName"]
            before = ["x"] * positional
            positional += 1
            if (path[-1], name) not in FREE_ARGUMENTS and not says_something(offered(*path, *before, "")):
                wrong.append(f"{path}: nothing is offered for {name}")
            continue
        own = [{"short": "-"}.get(each["kind"], "--") + each["name"] for each in argument["names"]]
        names.update(own)
        free = FREE | (FREE_OF_EVENTS if path[-1] == "events" else set())
        if argument["kind"] == "option" and free.isdisjoint(each["name"] for each in argument["names"]):
            if not says_something(offered(*path, own[0], "")):
                wrong.append(f"{path}: nothing is offered for the value of {own[0]}")
    if path[-1] != "help" and set(offered(*path, "-")[1]) != names:
        wrong.append(f"{path}: {sorted(set(offered(*path, '-')[1]) ^ names)} are offered or have been forgotten")
    for each in command.get("subcommands", []):
        wrong += look(each, [*path, each["commandName"]])
    return wrong


if __name__ == "__main__":
    faults = []
    for program in ("pickerctl", "pickerd"):
        said = subprocess.run([program, "--experimental-dump-help"], stdout=subprocess.PIPE, check=True).stdout
        command = json.loads(said)["command"]
        if program == "pickerd":
            # It has no commands, whatever the parser adds.
            command["subcommands"] = []
        faults += look(command, [program])
    print("\n".join(faults))
    sys.exit(len(faults) > 0)

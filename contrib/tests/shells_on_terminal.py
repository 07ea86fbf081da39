#!/usr/bin/env python3
"""bash, zsh and fish on a terminal: what Tab completes, and what the keys of `pickerctl shell` do.

usage: shells_on_terminal.py PLACE SHELL

PLACE is a folder with `root`, which the daemon at $PICKERD_SOCKET has, and `outside`, which it has not; see
completions.sh for what is in them.
"""

from __future__ import annotations

import os
import re
import sys

import terminals
from terminals import check

PLACE, SHELL = sys.argv[1:]
ROOT = os.path.join(PLACE, "root")
SHOWN = os.path.join(PLACE, "shown")
QUOTED = b"two 'words' \".md"
TAB, HOME_KEY, CTRL_T, ALT_C, ESC = b"\t", b"\x01", b"\x14", b"\x1bc", b"\x1b"

COMMANDS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SETUP = {
    "bash": r"""PS1='\w => ' HISTFILE=; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'
eval "$(pickerctl shell bash)" """,
    "zsh": """PS1='%~ => ' HISTFILE=; unsetopt prompt_sp prompt_cr beep; bindkey -e; autoload -Uz compinit; compinit -D -u
eval "$(pickerctl shell zsh)" """,
    "fish": """function fish_prompt; echo $PWD' => '; end; function fish_right_prompt; end; set -g fish_autosuggestion_enabled 0
pickerctl shell fish | source""",
}


class Shell:
    """An interactive shell in a folder, with all of `pickerctl shell`."""

    def __init__(self, folder: str, before: str = "", socket: str | None = None, setup: str = SETUP[SHELL]) -> None:
        os.chdir(folder)
        os.environ["PWD"] = folder
        old = os.environ["PICKERD_SOCKET"]
        os.environ["PICKERD_SOCKET"] = socket or old
        self.terminal = terminals.Terminal(*COMMANDS[SHELL], columns=200)
        os.environ["PICKERD_SOCKET"] = old
        script = os.path.join(PLACE, f"setup.{SHELL}")
        with open(script, "w") as file:
            file.write(f"{before}\n{setup}\nshow ready\n")
        self.forget()
        self.terminal.press(b". " + script.encode() + b"\r")
        assert self.words() == [b"ready"], self.terminal.screen

    def forget(self) -> None:
        if os.path.exists(SHOWN):
            os.unlink(SHOWN)

    def words(self) -> list[bytes]:
        """What `show` has been called with."""
        if not self.terminal.comes(lambda: os.path.exists(SHOWN)):
            self.terminal.press(b"\x03\x03")
            return [b"nothing was shown", self.terminal.screen[-1000:]]
        with open(SHOWN, "rb") as file:
            words = file.read().split(b"\0")[:-1]
        self.forget()
        return words

    def reads(self, keys: bytes) -> list[bytes]:
        """The words of the line after these keys, as the shell reads them."""
        self.terminal.press(keys + HOME_KEY + b"show \r")
        return self.words()

    def runs(self, line: bytes) -> list[bytes]:
        self.terminal.press(line + b"\r")
        return self.words()

    def end(self) -> None:
        self.terminal.press(b"exit\r")
        self.terminal.end()
        self.terminal.close()


def completes(shell: Shell, what: str, line: bytes, *expected: bytes) -> None:
    """Whether Tab behind `line` makes it these words of pickerctl."""
    found = shell.reads(b"pickerctl " + line + TAB)
    check(f"{SHELL}: {what}", found == [b"pickerctl", *expected], found)


def documents() -> None:
    shell = Shell(ROOT)
    root = ROOT.encode()
    for what, typed, expected in [
        ("a document by its first letters", b"rep", b"report.md"),
        ("blanks and quotes in a name", b"tw", QUOTED),
        ("behind a backslash", b"two\\ ", QUOTED),
        ("behind a quote", b"\"two 'w", QUOTED),
        ("a colon in a name", b"co", b"co:lon.md"),
        ("behind the colon", b"co:l", b"co:lon.md"),
        ("a line's end in a name", b"new", b"new\nline.md"),
        ("a name that is not UTF-8", b"bad", b"bad\xff.md"),
        ("nothing in a name is run", b"do", b"do$(touch ran)`touch ran`.md"),
        ("in a folder", b"sub/inn", b"sub/inner.md"),
        ("a folder, and what is in it", b"su" + TAB + b"inn", b"sub/inner.md"),
        ("an absolute path", root + b"/rep", root + b"/report.md"),
        ("below one's own folder", b"~/root/rep", root + b"/report.md"),
        ("a document in a folder below, by its name", b"inn", b"sub/inner.md"),
        ("no file that is no document", b"back", b"back"),
        ("none that was dropped", b"dropp", b"dropp"),
    ]:
        completes(shell, what, b"like " + typed, b"like", expected)
    completes(shell, "that is to be restored", b"restore dropp", b"restore", b"dropped.md")
    shell.end()
    check(f"{SHELL}: nothing was run", not os.path.exists(os.path.join(ROOT, "ran")))


def words() -> None:
    shell = Shell(ROOT)
    for what, typed, *expected in [
        ("a command", b"layo", b"layout"),
        ("a kind of layout", b"layout fl", b"layout", b"flow"),
        ("a sort key behind a comma", b"list --sort name,modi", b"list", b"--sort", b"name,modified"),
        ("an option", b"list --with", b"list", b"--with-new"),
        ("a value behind =", b"list --sort=modi", b"list", b"--sort=modified"),
        ("a key of queries, and what follows", b"list typ" + TAB + b"md", b"list", b"type:md"),
        ("a value of a key", b"list ext:pd", b"list", b"ext:pdf"),
        ("a value in quotes", b"list 'size:>100", b"list", b"size:>100M"),
        ("a topic", b"events documents.ad", b"events", b"documents.added"),
        ("a plugin", b"plugins info stat", b"plugins", b"info", b"statistics"),
        ("an action", b"actions report.md --run documents.rev",
         b"actions", b"report.md", b"--run", b"documents.reveal"),
        ("a file", b"layout list --svg back", b"layout", b"list", b"--svg", b"backup.md~"),
        ("a file behind =", b"layout list --svg=back", b"layout", b"list", b"--svg=backup.md~"),
        # zsh takes the slash away in front of a blank.
        ("a folder", b"list --folder su", b"list", b"--folder", b"sub" if SHELL == "zsh" else b"sub/"),
    ]:
        completes(shell, what, typed, *expected)
    shell.end()


def elsewhere() -> None:
    shell = Shell(os.path.join(PLACE, "outside"))
    root = ROOT.encode()
    completes(shell, "a document that is not below: its path", b"like inn", b"like", root + b"/sub/inner.md")
    # zsh goes through them.
    first = root + b"/reach.md" if SHELL == "zsh" else b"rea"
    completes(shell, "of several, what is typed stays", b"like rea", b"like", first)
    shell.end()
    for what, socket in [("nobody", os.path.join(PLACE, "nobody")), ("silence", os.path.join(PLACE, "silent"))]:
        shell = Shell(os.path.join(PLACE, "outside"), socket=socket)
        completes(shell, f"files, where {what} answers", b"like not", b"like", b"not 'one'")
        completes(shell, f"words of queries, where {what} answers", b"list ext:pd", b"list", b"ext:pdf")
        shell.end()


def awaits(shell: Shell, pattern: bytes) -> None:
    if not shell.terminal.shows(pattern):
        check(f"{SHELL}: {pattern!r} appears", False, shell.terminal.screen[-1000:])


def keys() -> None:
    shell = Shell(ROOT)
    terminal = shell.terminal

    def opens(keys: bytes) -> None:
        terminal.forget()
        terminal.press(keys)
        if not terminal.shows(rb"inner\.md"):
            check(f"{SHELL}: {keys} opens pick", False, terminal.screen[-1000:])
        terminal.forget()

    opens(b"echo a " + CTRL_T)
    terminal.press(b"two\r")
    awaits(shell, rb"words\\'")
    found = shell.reads(b"")
    check(f"{SHELL}: Ctrl-T puts a path into the line, in quotes", found == [b"echo", b"a", QUOTED], found)

    opens(b"echo b " + CTRL_T)
    terminal.press(b"rea" + TAB + TAB + b"\r")
    awaits(shell, rb"echo b \S*rea\S+ \S*rea")
    found = shell.reads(b"")
    check(f"{SHELL}: and several", sorted(found[2:]) == [b"reach.md", b"sub/reason.md"], found)

    opens(b"echo c d" + b"\x02" + CTRL_T)
    terminal.press(ESC)
    awaits(shell, rb"echo c")
    found = shell.reads(b"")
    check(f"{SHELL}: Esc leaves the line as it was", found == [b"echo", b"c", b"d"], found)

    opens(b"echo e" + ALT_C)
    terminal.press(b"inner\r")
    awaits(shell, rb"/sub => .*echo e")
    found = shell.reads(b"")
    check(f"{SHELL}: Alt-C keeps the line", found == [b"echo", b"e"], found)
    found = shell.runs(b'show "$PWD"')
    check(f"{SHELL}: and goes to the folder", found == [ROOT.encode() + b"/sub"], found)

    opens(ALT_C)
    terminal.press(ESC)
    awaits(shell, rb"=> ")
    found = shell.runs(b'show "$PWD"')
    check(f"{SHELL}: Esc stays in the folder", found == [ROOT.encode() + b"/sub"], found)
    shell.end()


def settings() -> None:
    before = {
        "bash": "PICKERCTL_INSERT_KEY='\\C-o' PICKERCTL_FOLDER_KEY= PICKERCTL_INSERT_OPTIONS=(--header 'A line')",
        "zsh": "PICKERCTL_INSERT_KEY='^O' PICKERCTL_FOLDER_KEY= PICKERCTL_INSERT_OPTIONS=(--header 'A line')",
        "fish": "set PICKERCTL_INSERT_KEY \\co; set PICKERCTL_FOLDER_KEY; set PICKERCTL_INSERT_OPTIONS --header 'A line'",
    }
    shell = Shell(os.path.join(PLACE, "outside"), before[SHELL])
    terminal = shell.terminal
    terminal.forget()
    terminal.press(b"echo \x0f")
    check(f"{SHELL}: another key, and more options", terminal.shows(b"A line"), terminal.screen[-500:])
    terminal.press(b"inner\r")
    awaits(shell, rb"=> echo \S+inner")
    found = shell.reads(b"")
    check(f"{SHELL}: the path of what is not below", found == [b"echo", ROOT.encode() + b"/sub/inner.md"], found)
    shell.end()


def installed() -> None:
    """The completions alone, where contrib/install puts them: zsh loads them when they are needed."""
    functions = os.path.join(PLACE, "functions")
    setup = {
        "bash": f". {functions}/_pickerctl",
        "zsh": f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -D -u",
        "fish": f". {functions}/_pickerctl",
    }
    shell = Shell(ROOT, setup=setup[SHELL])
    completes(shell, "installed, a document", b"like rep", b"like", b"report.md")
    completes(shell, "once more, another", b"like tw", b"like", QUOTED)
    found = shell.reads(b"pickerd --log" + TAB + b"noti" + TAB)
    check(f"{SHELL}: an option of pickerd", found == [b"pickerd", b"--log-level", b"notice"], found)
    found = shell.reads(b"pickerd su" + TAB)
    check(f"{SHELL}: a folder for pickerd", found[1].rstrip(b"/") == b"sub", found)
    shell.end()


if __name__ == "__main__":
    for part in (documents, words, elsewhere, keys, settings, installed):
        part()
    sys.exit(terminals.failures > 0)

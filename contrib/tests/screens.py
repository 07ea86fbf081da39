"""What a terminal shows after the bytes that it was sent: a model of the few sequences that pickerctl pick uses."""

from __future__ import annotations

import re
import unicodedata

SEQUENCE = re.compile(r"\x1b(?:\[([?>=]?)([0-9;]*)([@-~])|([78=>c\\]))|\x1b\[[?>=]?[0-9;]*$|\x1b$")

#: A sequence in which another one begins: terminals forget the first.
CUT_OFF = re.compile(r"\x1b(?:\[[?>=]?[0-9;]*)?(?=\x1b)")

#: A text for programs, as images are, of which nothing is shown here; and one that has not ended.
STRING = re.compile(r"\x1b[_P][^\x1b]*(?:(\x1b\\)|\x1b?$)")


def width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """The rows of a screen, its cursor, and the modes that were set and not taken back."""

    def __init__(self, rows: int = 24, columns: int = 80) -> None:
        self.size = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.modes: set[str] = {"25", "7"}
        self.rest = b""
        self.other: list[list[str]] = []
        self.saved = self.kept = 0, 0

    def resize(self, rows: int, columns: int) -> None:
        def fitting(cells: list[list[str]]) -> list[list[str]]:
            lines = [(line + [" "] * columns)[:columns] for line in cells[:rows]]
            return lines + [[" "] * columns for _ in range(rows - len(lines))]

        self.size = rows, columns
        self.cells, self.other = fitting(self.cells), fitting(self.other) if self.other else []
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)
        self.saved = min(self.saved[0], rows - 1), min(self.saved[1], columns - 1)

    @property
    def text(self) -> str:
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, data: bytes) -> None:
        data = self.rest + data
        # An incomplete character waits for its other bytes.
        cut = len(data)
        while cut > 0 and len(data) - cut < 3 and data[cut - 1] & 0xC0 == 0x80:
            cut -= 1
        if cut > 0 and data[cut - 1] >= 0xC0:
            need = 2 if data[cut - 1] < 0xE0 else 3 if data[cut - 1] < 0xF0 else 4
            cut = cut - 1 if len(data) - cut + 1 < need else len(data)
        else:
            cut = len(data)
        text, self.rest = data[:cut].decode(errors="replace"), data[cut:]
        place = 0
        while place < len(text):
            if text[place] != "\x1b":
                self.put(text[place])
                place += 1
                continue
            if cut_off := CUT_OFF.match(text, place):
                place = cut_off.end()
                continue
            if string := STRING.match(text, place):
                if string.group(1) is None:
                    self.rest = text[place:].encode() + self.rest
                    return
                place = string.end()
                continue
            found = SEQUENCE.match(text, place)
            if not found:
                raise ValueError(f"a sequence that is not known: {text[place : place + 20]!r}")
            if found.group(3) is None and found.group(4) is None:
                self.rest = text[place:].encode() + self.rest
                return
            place = found.end()
            if found.group(3):
                self.obey(found.group(1), found.group(2), found.group(3))
            elif found.group(4) == "7":
                self.kept = self.row, self.column
            elif found.group(4) == "8":
                self.row, self.column = self.kept

    def put(self, character: str) -> None:
        rows, columns = self.size
        if character == "\r":
            self.column = 0
        elif character == "\n":
            if self.row + 1 < rows:
                self.row += 1
            else:
                self.cells = self.cells[1:] + [[" "] * columns]
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character >= " " and character != "\x7f":
            wide = width(character)
            if wide == 0:
                return
            if self.column + wide > columns:
                if "7" in self.modes:
                    self.put("\r")
                    self.put("\n")
                else:
                    self.column = columns - wide
            self.cells[self.row][self.column] = character
            if wide == 2:
                self.cells[self.row][self.column + 1] = ""
            self.column += wide

    def obey(self, private: str, numbers: str, final: str) -> None:
        rows, columns = self.size
        values = [int(number) if number else 0 for number in numbers.split(";")]
        count = max(1, values[0])
        if final in "hl":
            for number in numbers.split(";"):
                if final == "h" and number == "1049" and number not in self.modes:
                    self.other, self.cells = self.cells, [[" "] * columns for _ in range(rows)]
                    self.saved = self.row, self.column
                if final == "l" and number == "1049" and number in self.modes:
                    self.cells = self.other
                    self.row, self.column = self.saved
                (self.modes.add if final == "h" else self.modes.discard)(number)
        elif private:
            return
        elif final in "ABCD":
            self.row = max(0, min(rows - 1, self.row + {"A": -count, "B": count}.get(final, 0)))
            self.column = max(0, min(columns - 1, self.column + {"C": count, "D": -count}.get(final, 0)))
        elif final == "G":
            self.column = min(columns, count) - 1
        elif final == "d":
            self.row = min(rows, count) - 1
        elif final in "Hf":
            self.row = min(rows, count) - 1
            self.column = min(columns, max(1, values[1] if len(values) > 1 else 1)) - 1
        elif final in "JK":
            self.erase(final, values[0])
        elif final not in "mntc":
            raise ValueError(f"a sequence that is not known: {numbers}{final}")

    def erase(self, final: str, which: int) -> None:
        rows, columns = self.size
        line = self.cells[self.row]
        for column in range(columns):
            if which == 2 or (which == 0 and column >= self.column) or (which == 1 and column <= self.column):
                line[column] = " "
        if final == "J":
            for row in range(rows):
                if which == 2 or (which == 0 and row > self.row) or (which == 1 and row < self.row):
                    self.cells[row] = [" "] * columns

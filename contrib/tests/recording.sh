#!/usr/bin/env bash
# contrib/recording: it makes a picture that moves, in which the picked documents are seen, and the README shows one.
#
# usage: contrib/tests/recording.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PICKERD_BINARIES=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
export PICKERD_BINARIES

place=$(mktemp -d --suffix=-pickerd-recording-test)
trap 'rm -rf -- "$place"' EXIT

# A picture is looked at by its parts: frames, styles, and what is written in it.
look() { # look FILE
    python3 - "$1" <<'PYTHON'
import re
import sys
import xml.etree.ElementTree as tree

space = "{http://www.w3.org/2000/svg}"
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
root = tree.fromstring(text)
frames = [each for each in root.iter(space + "g") if each.get("class") == "frame"]
rows = {each.get("id"): "".join(each.itertext()) for each in root.iter(space + "g") if each.get("id", "").startswith("r")}
last = [rows[use.get("href")[1:]] for use in frames[-1].iter(space + "use")]
steps = re.findall(r"[\d.]+%\{transform:translateY", text)
print("a picture" if root.tag == space + "svg" else root.tag)
print("frames" if len(frames) > 10 else f"{len(frames)} frames")
print("which move" if len(steps) == len(frames) else f"{len(steps)} steps")
print("small" if len(text.encode()) <= 150_000 else "large")
print("lit up" if "#1f4d2b" in text else "nothing is lit up")
print("from nowhere else" if not re.search(r"(href|src|url)[=(]\W?https?:", text) else "from elsewhere")
print("picked" if "Work/Budget 2025.ods" in last and "Travel/Lisbon in May.md" in last else last)
PYTHON
}
expected="a picture
frames
which move
small
lit up
from nowhere else
picked"

check "a recording is made" "$here/../recording" "$place/pick.svg"
check "in which a document is picked" equal "$(look "$place/pick.svg")" "$expected"
check "so is the one that is kept" equal "$(look "$here/../pick.svg")" "$expected"
check "the README shows it" grep -qF "(contrib/pick.svg)" "$here/../../README.md"
check "nothing else is left" equal "$(ls -A "$place")" pick.svg
finish

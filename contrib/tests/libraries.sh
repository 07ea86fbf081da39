#!/usr/bin/env bash
# The libraries as seen by others: separate packages that depend on this one and on nothing else.
# They fetch and link what Sources/Libraries/README.md states, and its first examples print the stated
# output. Observables, in debug and in release: correct programs run whatever threads their actors run
# on; traps state their reason; no other package gets the settings of the project's own tests.
#
# usage: contrib/tests/libraries.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH
house=$(readlink -f "$here/../..")
command -v swift >/dev/null || skip_all "swift is missing"
unset PICKERD_TEST_SETTINGS

place=$(mktemp -d --suffix=-pickerd-libraries-test)
daemon=''
tidy() {
    if [[ -n $daemon ]]; then kill -TERM "$daemon" 2>/dev/null && wait "$daemon" || true; fi
    rm -rf -- "$place"
}
trap tidy EXIT

# example PRODUCT: the example in the product's section of the page.
example() {
    sed -n "/^### $1\$/,/^\`\`\`\$/p" "$house/Sources/Libraries/README.md" | sed '1,/^```swift$/d; /^```$/d'
}
# promised PRODUCT: the output stated for this example.
promised() {
    example "$1" | sed -n 's|^.*// Prints "\(.*\)"$|\1|p' | sed 's|", then "|\n|g'
}

mkdir -p "$place"/{lean,queues}/Sources "$place"/lean/Sources/{top,actors}
for product in Observables ExactStatistics ObservableStatistics Layouts StateFeedback; do
    mkdir "$place/lean/Sources/$product.example"
    example "$product" >"$place/lean/Sources/$product.example/main.swift"
done
for product in DataBus PickerClient; do
    mkdir "$place/queues/Sources/$product.example"
    example "$product" >"$place/queues/Sources/$product.example/main.swift"
done
# A plugin is a type with @main, which main.swift can't have.
plugin=$place/queues/Sources/PickerPlugin.example
mkdir "$plugin"
example PickerPlugin >"$plugin/Plugin.swift"
# manifest NAME TRAITS: a package with a program for each example and each program of this test.
manifest() {
    cat <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

func program(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name, dependencies: products.map { .product(name: \$0, package: "pickerd") })
}

let package = Package(
    name: "$1", dependencies: [.package(name: "pickerd", path: "$house", traits: [$2])],
    targets: [
SWIFT
    cat
    echo "    ])"
}
manifest lean "" >"$place/lean/Package.swift" <<'SWIFT'
        program("Observables.example", "Observables"),
        program("ExactStatistics.example", "ExactStatistics"),
        program("ObservableStatistics.example", "ObservableStatistics", "Observables"),
        program("Layouts.example", "Layouts"),
        program("StateFeedback.example", "StateFeedback"),
        program("top", "Observables"),
        program("actors", "Observables"),
SWIFT
manifest queues '"Queues"' >"$place/queues/Package.swift" <<'SWIFT'
        program("DataBus.example", "DataBus"),
        program("PickerClient.example", "PickerClient"),
        program("PickerPlugin.example", "PickerPlugin"),
SWIFT
cat >"$place/lean/Sources/top/main.swift" <<'SWIFT'
import Observables

let number = Variable(0)
let double = number.map { $0 * 2 }
let connection = double.connect { print($0.new) }
try await Task.sleep(nanoseconds: 1_000_000)
number.value = 1
await Task.yield()
number.value = 2
SWIFT
cat >"$place/lean/Sources/actors/Main.swift" <<'SWIFT'
import Foundation
import Observables

actor Counter {
    private let number = Variable(0)
    private var connection: Connection?
    func add() { number.value += 1 }
    func begin() { connection = number.connect { _ in } }
    var total: Int { number.value }
}

struct Unchecked<Value>: @unchecked Sendable { let value: Value }

@main struct Main {
    @MainActor static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "suspend":
            let number = Variable(0)
            try? await Task.sleep(nanoseconds: 1_000_000)
            number.value = 1
            print(number.value)
        case "actor":
            let counter = Counter()
            await counter.begin()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await counter.add() } }
            }
            print(await counter.total)
        case "thread":
            let number = Unchecked(value: Variable(0))
            let thread = Thread { number.value.value = 1 }
            thread.start()
            while !thread.isFinished { sched_yield() }
        case "row":
            let rows: ArrayVariable<Int> = [1, 2]
            rows.remove(at: 5)
        case "transform":
            let number = Variable(0)
            let other = Variable(0)
            let connection = number.map { value in other.value = value }.connect { _ in }
            number.value = 1
            connection.disconnect()
        case "circle":
            let number = Variable(0)
            let connection = number.connect { number.value = $0.new + 1 }
            number.value = 1
            connection.disconnect()
        case "change":
            var array = [1]
            ArrayChange(initialCount: 7, modification: .insert(1, at: 0)).apply(on: &array)
        case "settings":
            let flag = Variable(true)
            let rows = ArrayVariable(Array(0..<1_000))
            let filtered = rows.filter(
                where: flag.map { flag in { flag || $0 % 3 != 0 } })
            let connection = filtered.connect { print($0.modifications.count > 100) }
            flag.value = false
            connection.disconnect()
        default: print("what?")
        }
    }
}
SWIFT

# says TEXT PROGRAM ARGUMENT...: the program fails, and its error output contains the text.
says() {
    local text=$1 output
    shift
    if output=$("$@" 2>&1 >/dev/null); then
        echo "it was not stopped"
        return 1
    fi
    [[ $output == *"$text"* ]] || { echo "it said '${output:0:600}', and not '$text'"; return 1; }
}

# plugin_answers PROGRAM: the plugin of the page, with its manifest, answers for a file as it should.
plugin_answers() {
    mkdir -p "$place/lines"
    cp "$1" "$place/lines/"
    sed -n '/^### PickerPlugin$/,$p' "$house/Sources/Libraries/README.md" |
        sed -n '/^```json$/,/^```$/{/^```/d;p}' >"$place/lines/plugin.json"
    printf 'one\ntwo\n' >"$place/lines/text"
    PYTHONPATH=$house/contrib/clients PYTHONDONTWRITEBYTECODE=1 python3 - "$place/lines" <<'PYTHON'
import sys
from test_pickerd_plugin import Host

host = Host([sys.argv[1] + "/PickerPlugin.example"])
assert host.hello() == {"api": 1, "version": "1.0.0", "provides": ["extract"]}
(answer,) = host.extract("lines", [sys.argv[1] + "/text"])
assert answer["values"] == {"text.lines": 2}, answer
host.close()
assert host.status == 0, host.status
PYTHON
}

# fetched PACKAGE: the packages fetched for it.
fetched() { ls "$place/$1/.build/checkouts" 2>/dev/null | xargs; }
# foreign PROGRAM: the libraries that it loads except for the system's C library and Swift's.
foreign() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libc|libm|libgcc_s|libstdc\+\+|ld-linux.*|libswift.*|lib_?Foundation.*|libBlocksRuntime|libdispatch)\.so' || true
}
# build PACKAGE CONFIGURATION ARGUMENT...: whether it builds without warnings.
build() {
    local log package=$1 configuration=$2
    shift 2
    if ! log=$(swift build --package-path "$place/$package" -c "$configuration" "$@" 2>&1); then
        check "a package outside builds with the libraries ($package, $configuration)" \
            eval 'grep -E "error:" <<<"$log" || tail -n 20 <<<"$log"; false'
        return 1
    fi
    check "a package outside builds with the libraries, and without a warning ($package, $configuration)" \
        fails grep 'warning:' <<<"$log"
}
# prints PACKAGE PRODUCT: whether the product's example prints the stated output.
prints() {
    check "the first example of $2 prints what the page says" \
        equal "$("$place/$1/.build/debug/$2.example" 2>&1)" "$(promised "$2")"
}

export SWIFT_BACKTRACE=enable=no
ulimit -c 0
# Hides all system libraries, as if none were installed.
mkdir "$place/empty"
without_libraries() { PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$place/empty "$@"; }

for configuration in debug release; do
    programs=$place/lean/.build/$configuration
    if [[ $configuration == debug ]]; then
        without_libraries build lean debug || continue
        check "with no trait nothing is fetched" silent "$(fetched lean)"
        for product in Observables ExactStatistics ObservableStatistics Layouts StateFeedback; do
            prints lean "$product"
            check "$product links nothing of the daemon's" silent "$(foreign "$programs/$product.example")"
        done
    else
        without_libraries build lean release --product top || continue
        without_libraries build lean release --product actors || continue
    fi
    check "top-level code goes on after it was suspended ($configuration)" \
        equal "$("$programs/top" 2>&1)" $'2\n4'
    check "the main actor goes on after it was suspended ($configuration)" \
        equal "$("$programs/actors" suspend 2>&1)" 1
    check "an actor's observables go with it ($configuration)" \
        equal "$("$programs/actors" actor 2>&1)" 100
    check "another thread is stopped, and told why ($configuration)" \
        says "confined to one thread" "$programs/actors" thread
    check "a row that is not there is told of ($configuration)" \
        says "are not all among" "$programs/actors" row
    check "a transform that writes is told of ($configuration)" \
        says "They must only compute" "$programs/actors" transform
    check "sinks that write in a circle are told of ($configuration)" \
        says "Look for sinks that write what they observe" "$programs/actors" circle
    check "a change that does not fit is told of ($configuration)" \
        says "Apply a change only to the value it was made for" "$programs/actors" change
    check "nobody else gets the settings of our tests ($configuration)" \
        equal "$("$programs/actors" settings 2>&1)" true
done
if build queues debug; then
    check "with the trait Queues swift-collections is fetched, and no more" \
        equal "$(fetched queues)" swift-collections
    prints queues DataBus
    check "DataBus links nothing of the daemon's" \
        silent "$(foreign "$place/queues/.build/debug/DataBus.example")"
    check "the plugin of the page answers" plugin_answers "$place/queues/.build/debug/PickerPlugin.example"
    mkdir "$place/root" "$place/home"
    touch "$place/root/notes.md"
    export HOME=$place/home PICKERD_SOCKET=$place/sock
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    pickerd --socket "$PICKERD_SOCKET" "$place/root" >"$place/daemon.log" 2>&1 </dev/null &
    daemon=$!
    check "a daemon serves" eventually pickerctl status
    prints queues PickerClient
fi
finish

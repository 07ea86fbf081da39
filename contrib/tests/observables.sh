#!/usr/bin/env bash
# Observables as others meet it: a package of its own that uses nothing else of the project, in debug and
# in release. Correct programs run whatever threads their actors come on; what stops a program says why;
# nobody gets the settings of the project's own tests.
#
# usage: contrib/tests/observables.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
command -v swift >/dev/null || skip_all "swift is missing"
unset PICKERD_TEST_SETTINGS

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/top" "$folder/Sources/actors"
ln -s "$here/../../Sources/Libraries/Observables" "$here/../../Sources/Libraries/CSwiftRuntime" "$folder/Sources/"
cat >"$folder/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "user",
    targets: [
        .target(name: "CSwiftRuntime"),
        .target(
            name: "Observables", dependencies: ["CSwiftRuntime"],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(name: "top", dependencies: ["Observables"]),
        .executableTarget(name: "actors", dependencies: ["Observables"]),
    ])
SWIFT
cat >"$folder/Sources/top/main.swift" <<'SWIFT'
import Observables

let number = Variable(0)
let double = number.map { $0 * 2 }
let connection = double.connect { print($0.new) }
try await Task.sleep(nanoseconds: 1_000_000)
number.value = 1
await Task.yield()
number.value = 2
SWIFT
cat >"$folder/Sources/actors/Main.swift" <<'SWIFT'
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

# says TEXT PROGRAM ARGUMENT...: the program fails, and its error output holds the text.
says() {
    local text=$1 output
    shift
    if output=$("$@" 2>&1 >/dev/null); then
        echo "it was not stopped"
        return 1
    fi
    [[ $output == *"$text"* ]] || { echo "it said '${output:0:600}', and not '$text'"; return 1; }
}

export SWIFT_BACKTRACE=enable=no
ulimit -c 0
for configuration in debug release; do
    if ! log=$(swift build --package-path "$folder" -c "$configuration" 2>&1); then
        check "a package with Observables builds ($configuration)" eval 'echo "$log" | tail -n 20; false'
        continue
    fi
    check "a package with Observables builds without a warning ($configuration)" \
        fails grep -q 'warning:' <<<"$log"
    programs=$folder/.build/$configuration
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
finish

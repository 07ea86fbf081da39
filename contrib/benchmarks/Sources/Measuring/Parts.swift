import Glibc

/// A part of a benchmark, which can be run by its name.
package struct Part {
    /// When a part is run.
    package enum Kind {
        /// With all others, or by its name.
        case measurement
        /// As a measurement, and by `--check`: its counts are the same on every machine.
        case count
        /// By its name only: it repeats one kind of work, for a profiler.
        case profile
    }

    let name: String
    let kind: Kind
    let run: () throws -> Bool

    /// `run` returns whether all checks held.
    package init(_ name: String, _ kind: Kind = .measurement, run: @escaping () throws -> Bool) {
        self.name = name
        self.kind = kind
        self.run = run
    }

    /// A part that only reports.
    package init(_ name: String, _ kind: Kind = .measurement, run: @escaping () throws -> Void) {
        self.init(name, kind) {
            try run()
            return true
        }
    }
}

/// Runs the parts named by the program's arguments: `[--check] [PART…]`. The status is 0 if all checks
/// held, 1 if not, and 2 if there is no such part.
package func run(_ parts: [Part]) throws -> Never {
    let arguments = CommandLine.arguments.dropFirst()
    let countsOnly = arguments.first == "--check"
    let names = Array(countsOnly ? arguments.dropFirst() : arguments)
    for name in names where !parts.contains(where: { $0.name == name }) {
        let known = parts.map(\.name).joined(separator: ", ")
        print("There is no part '\(name)': name some of \(known).")
        exit(2)
    }
    var good = true
    for part in parts {
        let isWanted =
            names.isEmpty
            ? part.kind == .count || part.kind == .measurement && !countsOnly
            : names.contains(part.name)
        if isWanted { good = try part.run() && good }
    }
    exit(good ? 0 : 1)
}

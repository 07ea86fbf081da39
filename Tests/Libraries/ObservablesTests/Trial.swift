import Observables
import Testing

/// An observable compared with its expected value after every step of a script.
protocol AnyTrial: AnyObject {
    func check(_ comment: Comment)
    /// Connects to the observable, or ends the connection.
    func toggle()
    func disconnect()
    /// Starts a step, in which at most one change may arrive.
    func begin()
}

/// While connected, keeps a copy by applying the changes, and checks each of them.
final class Trial<Subject: ObservableType>: AnyTrial where Subject.Change.Value: Equatable {
    typealias Value = Subject.Change.Value

    let subject: Subject
    private let expected: () -> Value
    private var connection: Connection?
    private var mirror: Value?
    private var told = 0
    /// Where the trial was created, the location of its failures.
    private let place: SourceLocation

    init(
        _ subject: Subject, place: SourceLocation = #_sourceLocation,
        _ expected: @escaping () -> Value
    ) {
        self.subject = subject
        self.expected = expected
        self.place = place
    }

    func begin() { told = 0 }

    func toggle() {
        if connection != nil {
            disconnect()
            return
        }
        mirror = subject.value
        connection = subject.connect { [unowned self] change in
            guard let old = mirror else { return }
            var copy = old
            change.apply(on: &copy)
            #expect(!change.isEmpty, sourceLocation: place)
            #expect(copy == subject.value, sourceLocation: place)
            // An array may replace a row by an equal one; all else is canonical.
            if !(subject is any ObservableArrayType) {
                #expect(copy != old, sourceLocation: place)
            }
            mirror = copy
            change.reversed().apply(on: &copy)
            #expect(copy == old, sourceLocation: place)
            told += 1
        }
    }

    func disconnect() {
        connection?.disconnect()
        connection = nil
        mirror = nil
    }

    func check(_ comment: Comment) {
        let expected = expected()
        #expect(subject.value == expected, comment, sourceLocation: place)
        if let mirror { #expect(mirror == expected, comment, sourceLocation: place) }
        #expect(told <= 1, comment, sourceLocation: place)
    }
}

/// Runs a random script: steps alone or several in a transaction, with reads in it, while the
/// trials are connected and disconnected.
func run(
    _ trials: [any AnyTrial], seed: Int, steps: Int = 40, random: inout Seeded,
    step: (inout Seeded) -> Void
) {
    for index in 0..<steps {
        let comment: Comment = "seed \(seed), step \(index)"
        if random.below(3) == 0, let trial = trials.randomElement(using: &random) {
            trial.toggle()
            trial.check(comment)
        }
        for trial in trials { trial.begin() }
        if random.below(3) == 0 {
            transaction {
                for _ in 0..<(1 + random.below(5)) {
                    step(&random)
                    if random.below(6) == 0, let trial = trials.randomElement(using: &random) {
                        trial.begin()
                        trial.disconnect()
                        trial.check(comment)
                        trial.toggle()
                    }
                }
            }
        } else {
            step(&random)
        }
        for trial in trials { trial.check(comment) }
    }
}

/// A count of live objects.
final class LiveCount {
    var live = 0
}

/// An object whose instances are counted. Equal and hashed by its number.
final class Tracked: Hashable, Comparable {
    let number: Int
    private let counter: LiveCount

    init(_ number: Int, _ counter: LiveCount) {
        self.number = number
        self.counter = counter
        counter.live += 1
    }

    deinit { counter.live -= 1 }

    static func == (left: Tracked, right: Tracked) -> Bool { left.number == right.number }
    static func < (left: Tracked, right: Tracked) -> Bool { left.number < right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

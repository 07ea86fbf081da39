package import PickerClient

/// The searches of those who call: one at a time is with the daemon.
///
/// A caller's newest search is the one that counts: its earlier ones are given back when it comes, to be answered with
/// nothing. Each search that was added is given back once, by one of the functions here.
package struct SearchQueue {
    /// The most that wait. With another one the one that waits longest is given back.
    package static let mostWaiting = 64

    /// One search, until it is answered.
    package struct Search {
        package let number: Int
        package let caller: String
        package let query: ListQuery
        /// Called once.
        package let answer: ([ListItem]) -> Void
        /// Whether it was asked again after a connection had ended.
        package var isSecondTry = false
    }

    /// The one that is with the daemon.
    package private(set) var running: Search?
    private var waiting: [Search] = []
    private var lastNumber = 0

    package init() {}

    package var isEmpty: Bool { running == nil && waiting.isEmpty }

    /// Adds a search.
    /// - Returns: its number, and the searches that are not to be made any more.
    package mutating func add(
        _ query: ListQuery, from caller: String, _ answer: @escaping ([ListItem]) -> Void
    ) -> (number: Int, dropped: [Search]) {
        lastNumber += 1
        var dropped = waiting.filter { $0.caller == caller }
        waiting.removeAll { $0.caller == caller }
        if let running, running.caller == caller {
            dropped.append(running)
            self.running = nil
        }
        waiting.append(
            Search(number: lastNumber, caller: caller, query: query, answer: answer))
        if waiting.count > Self.mostWaiting { dropped.append(waiting.removeFirst()) }
        return (lastNumber, dropped)
    }

    /// The next one, which is running from now on; nil if one runs, or none waits.
    package mutating func start() -> Search? {
        if running != nil || waiting.isEmpty { return nil }
        running = waiting.removeFirst()
        return running
    }

    /// Notes that the running one is asked again; false if it has been already.
    package mutating func tryAgain() -> Bool {
        guard running?.isSecondTry == false else { return false }
        running?.isSecondTry = true
        return true
    }

    /// Takes a search out; nil if it is not there any more.
    package mutating func remove(_ number: Int) -> Search? {
        if let running, running.number == number {
            self.running = nil
            return running
        }
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return waiting.remove(at: index)
    }
}

/// Keeps the set of documents as it is for a moment, while several answers are worked out that are to be
/// about one revision.
///
/// It holds up nobody by itself: whoever changes the set of their own accord asks first, and goes on when
/// told. Those are the watcher, which leaves what happens in the kernel's queue for so long, what has
/// been stored of likes, and requests that change documents. One that begins it ends it soon, whatever
/// happens.
package final class ChangeHold {
    package private(set) var isOn = false
    /// The watcher, the journal of likes, and at most one request of each session.
    private var waiting: [() -> Void] = []

    /// - Precondition: it is not on.
    package func begin() {
        precondition(!isOn, "the documents are held already")
        isOn = true
    }

    /// Lets those who wait go on, in the order they came.
    /// - Precondition: it is on.
    package func end() {
        precondition(isOn, "the documents are not held")
        isOn = false
        let ready = waiting
        waiting = []
        for goOn in ready { goOn() }
    }

    /// Calls `body` once when it is off; at once, if it is.
    package func whenOff(_ body: @escaping () -> Void) {
        if isOn { waiting.append(body) } else { body() }
    }
}

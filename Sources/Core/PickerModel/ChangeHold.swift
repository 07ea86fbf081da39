/// Keeps the set of documents unchanged for a moment, while several answers are computed at one revision.
///
/// The hold blocks nothing by itself: code that changes the set on its own initiative checks it first, and
/// continues when it ends. That is the watcher, which leaves events in the kernel's queue meanwhile, the
/// restored likes, and requests that change documents. Whoever begins the hold ends it soon in every case.
package final class ChangeHold {
    package private(set) var isOn = false
    /// The watcher, the journal of likes, and at most one request per session.
    private var waiting: [() -> Void] = []

    /// - Precondition: it is off.
    package func begin() {
        precondition(!isOn, "a change hold is on already")
        isOn = true
    }

    /// Ends the hold and resumes the waiting work, oldest first.
    /// - Precondition: it is on.
    package func end() {
        precondition(isOn, "no change hold is on")
        isOn = false
        let ready = waiting
        waiting = []
        for goOn in ready { goOn() }
    }

    /// Calls `body` once when the hold is off, at once if it is off now.
    package func whenOff(_ body: @escaping () -> Void) {
        if isOn { waiting.append(body) } else { body() }
    }
}

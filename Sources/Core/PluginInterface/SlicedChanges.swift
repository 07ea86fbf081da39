package import EventLoops
package import PickerModel

/// Changes of the documents that are made in pieces: each in a turn of its own, behind what is urgent, and while the
/// documents are not held.
package final class SlicedChanges {
    /// Makes the next piece, and returns whether there is more to do.
    package var step: (() -> Bool)?
    private let hold: ChangeHold
    private let loop: any EventLoop
    private var isQueued = false

    /// Nothing is done before `step` is set and `goOn` called.
    package init(of documents: DocumentStore, on loop: any EventLoop) {
        hold = documents.hold
        self.loop = loop
    }

    /// There is something to do. To be called again only if there is more after a step that returned false.
    package func goOn() {
        if isQueued { return }
        isQueued = true
        loop.enqueue(priority: .low) { [weak self] in
            self?.hold.whenOff { [weak self] in
                guard let self else { return }
                isQueued = false
                if step?() ?? false { goOn() }
            }
        }
    }
}

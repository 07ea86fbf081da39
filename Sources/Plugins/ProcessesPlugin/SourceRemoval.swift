internal import EventLoops
internal import PickerModel

/// Removes the items of a collection that is offered no more, in slices. It ends early if the collection is offered again.
final class SourceRemoval {
    private let collection: SourcedCollection
    private let documents: DocumentStore
    private let loop: any EventLoop
    private var slot = 0

    init(of collection: SourcedCollection, from documents: DocumentStore, on loop: any EventLoop) {
        self.collection = collection
        self.documents = documents
        self.loop = loop
    }

    /// Begins, and keeps itself until it is done.
    func begin() {
        if collection.isOffered || collection.count == 0 { return }
        loop.enqueue(priority: .low) { [self] in
            documents.hold.whenOff { [self] in
                step()
                begin()
            }
        }
    }

    private func step() {
        if collection.isOffered { return }
        let end = slot + HostedSource.itemsAtOnce
        // Removals never exceed a limit.
        try? documents.sources.edit(collection, removing: collection.ids(inSlots: slot..<end))
        slot = end
    }
}

import Observables

/// An object with observables of each kind.
final class Document: Hashable {
    let id: Int
    let isOpen = Variable(false)
    let key = Variable(0)
    let rows = ArrayVariable<Int>()
    let tags = SetVariable<Int>()
    /// The key, at a greater height.
    let deepKey: Observable<Int>

    init(_ id: Int) {
        self.id = id
        deepKey = key.map { $0 }.map { $0 }.map { $0 }.map { $0 }.map { $0 }.map { $0 }
    }

    static func == (left: Document, right: Document) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

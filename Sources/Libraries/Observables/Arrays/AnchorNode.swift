// The position of the first element of an array that equals another element, the anchor.
//
// While active, the node tracks that row through the changes of the array and compares only removed and
// inserted elements with the anchor. It searches the array when the anchor is replaced, and when the row
// is removed, because a second equal element may follow. After the anchor has gone, the node tracks its
// last position until an equal element comes back.

/// The row of an anchor, or its last position.
struct AnchorPlace: Equatable {
    var row: Int
    var isPresent: Bool

    /// Adjusts the row to a change of the array.
    ///
    /// - Returns: Whether the row still exists.
    mutating func follow<Element>(_ modifications: [ArrayModification<Element>]) -> Bool {
        for modification in modifications {
            if modification.startIndex > row { break }
            if modification.inputRange.contains(row) {
                let offset = row - modification.startIndex
                row = modification.startIndex + min(offset, modification.outputCount)
                // All other modifications lie further on.
                return false
            }
            row += modification.deltaCount
        }
        return true
    }
}

/// The position of an anchor, or `nil` if it has not been in the array since it became the anchor.
final class AnchorNode<Element>: ScalarNode<AnchorPlace?> {
    /// The number of rows inserted at one position up to which they are always compared one by one.
    private static var scanLimit: Int {
        TestSettings.choose(inTests: 2, otherwise: 64)
    }

    private var input: InputEdge<ArrayNode<Element>>
    private var anchor: InputEdge<ScalarNode<Element?>>
    private let areEqual: (Element, Element) -> Bool
    private var place: AnchorPlace?

    init(
        _ input: ArrayNode<Element>, _ anchor: ScalarNode<Element?>,
        by areEqual: @escaping (Element, Element) -> Bool
    ) {
        self.input = InputEdge(input)
        self.anchor = InputEdge(anchor)
        self.areEqual = areEqual
        super.init(above: [input, anchor])
    }

    override func read() -> AnchorPlace? { isActive ? place : found() }

    private func found() -> AnchorPlace? {
        guard let element = anchor.node.read(),
            let row = input.node.firstIndex(of: element, by: areEqual)
        else { return nil }
        return AnchorPlace(row: row, isPresent: true)
    }

    override func activate() {
        input.attach(self)
        anchor.attach(self)
        place = found()
    }

    override func deactivate() {
        place = nil
        input.detach(self)
        anchor.detach(self)
    }

    override func recompute() {
        let change = input.takeEmission()
        let new: AnchorPlace?
        if anchor.takeChange() != nil {
            new = found()
        } else if let change, let element = anchor.node.read() {
            // A new order may have moved it anywhere.
            new =
                change.preview?.keepsElements == true
                ? found() ?? place : followed(change.change, to: element)
        } else {
            return
        }
        guard new != place else { return }
        let old = place
        place = new
        emit(ScalarChange(from: old, to: new))
    }

    private func followed(_ change: ArrayChange<Element>, to element: Element) -> AnchorPlace? {
        let modifications = change.modifications
        guard var place else { return arrival(of: element, in: modifications) }
        let wasPresent = place.isPresent
        let isThere = place.follow(modifications)
        if wasPresent, !isThere {
            // It was the first equal element, but another may follow it.
            if let found = found() { return found }
            place.isPresent = false
            return place
        }
        let arrival = arrival(of: element, in: modifications)
        if wasPresent, let arrival, arrival.row > place.row { return place }
        return arrival ?? place
    }

    /// The first inserted row that equals the anchor.
    private func arrival(
        of element: Element, in modifications: [ArrayModification<Element>]
    ) -> AnchorPlace? {
        for modification in modifications {
            let new = modification.newElements
            // If most rows are new, the array's own search may be faster than comparing each.
            if new.count > Self.scanLimit, new.count * 4 > input.node.count { return found() }
            if let offset = new.firstIndex(where: { areEqual($0, element) }) {
                return AnchorPlace(row: modification.startIndex + offset, isPresent: true)
            }
        }
        return nil
    }
}

// Where in an array the first element is that equals another, the anchor.
//
// While active, it follows that row through the changes of the array: only what they take away and
// put in is compared with the anchor. The array is searched when the anchor is another, and when the
// row is taken away, as there may be a second one further on. After it has gone, the place where it
// was is followed until an equal element comes back.

/// A row of an array, or where it was.
struct AnchorPlace: Equatable {
    var row: Int
    var isPresent: Bool

    /// Follows a change of the array. Says whether the row has not been taken away.
    mutating func follow<Element>(_ modifications: [ArrayModification<Element>]) -> Bool {
        for modification in modifications {
            if modification.startIndex > row { break }
            if modification.inputRange.contains(row) {
                let offset = row - modification.startIndex
                row = modification.startIndex + min(offset, modification.outputCount)
                // All the others lie further on.
                return false
            }
            row += modification.deltaCount
        }
        return true
    }
}

/// The place of an anchor, or `nil` if it has not been in the array since it became the anchor.
final class AnchorNode<Element>: ScalarNode<AnchorPlace?> {
    /// Up to how many rows put in at one place are always looked at one by one.
    private static var scanLimit: Int {
        TestSettings.choose(inTests: 2, otherwise: 64)
    }

    private var input: Edge<ArrayNode<Element>>
    private var anchor: Edge<ScalarNode<Element?>>
    private let areEqual: (Element, Element) -> Bool
    private var place: AnchorPlace?

    init(
        _ input: ArrayNode<Element>, _ anchor: ScalarNode<Element?>,
        by areEqual: @escaping (Element, Element) -> Bool
    ) {
        self.input = Edge(input)
        self.anchor = Edge(anchor)
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
        if anchor.take() != nil {
            new = found()
        } else if let change, let element = anchor.node.read() {
            // In another order it is wherever it is.
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
            // Nothing equal was ahead of it, but there may be something behind.
            if let found = found() { return found }
            place.isPresent = false
            return place
        }
        let arrival = arrival(of: element, in: modifications)
        if wasPresent, let arrival, arrival.row > place.row { return place }
        return arrival ?? place
    }

    /// The first row put in that equals the anchor.
    private func arrival(
        of element: Element, in modifications: [ArrayModification<Element>]
    ) -> AnchorPlace? {
        for modification in modifications {
            let new = modification.newElements
            // Where most rows are new, the array may know a quicker way than to look at each.
            if new.count > Self.scanLimit, new.count * 4 > input.node.count { return found() }
            if let offset = new.firstIndex(where: { areEqual($0, element) }) {
                return AnchorPlace(row: modification.startIndex + offset, isPresent: true)
            }
        }
        return nil
    }
}

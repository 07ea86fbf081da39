/// What is known about the change of an array before the change is computed. Receivers that need no more
/// save the computation.
@usableFromInline
class ChangePreview {
    /// The rows that the change affects.
    let extent: ArrayExtent

    init(extent: ArrayExtent) {
        self.extent = extent
    }

    /// Whether elements only change places: none leaves or arrives.
    var keepsElements: Bool { false }

    /// Whether the change must be computed in the settling that emitted it, before any node changes
    /// again.
    var isOfPresentRows: Bool { true }
}

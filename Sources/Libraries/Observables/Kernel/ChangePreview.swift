/// What is known of the change of an array before it is worked out, which whoever does not need it can
/// spare.
@usableFromInline
class ChangePreview {
    /// Where the change is.
    let extent: ArrayExtent

    init(extent: ArrayExtent) {
        self.extent = extent
    }

    /// Whether no element leaves or arrives: rows only change places.
    var keepsElements: Bool { false }

    /// Whether the change can be worked out only as long as no node is changed again, that is within
    /// the settling in which it is handed on.
    var isOfPresentRows: Bool { true }
}

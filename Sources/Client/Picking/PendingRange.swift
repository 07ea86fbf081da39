internal import PickerClient

/// Documents that are asked for beside the list, and what for.
struct PendingRange: Equatable {
    enum Purpose: Equatable {
        case mark
        case invert
        /// Those from one key to another.
        case between(String, String)
        /// Documents that are to be found again by where they are.
        case find([ListItem])
    }

    let request: RangeRequest
    let purpose: Purpose
}

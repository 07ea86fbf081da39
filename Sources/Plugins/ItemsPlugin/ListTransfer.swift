internal import ListRequests
internal import PickerModel

/// The state of the transfer of a list to its client.
enum ListTransfer {
    /// The client's rows are invalid; a reset comes next.
    case mustReset(reason: String)
    /// The client was sent an empty list; a reset follows when the rows are ready.
    case waiting
    case resetting(Reset, SentRows)
    case following(SentRows)
    /// The rows of a long window are read in slices: for a reset, or for a delta from what the client has.
    case reading(Reading)
    /// They have been read, and differ in a few rows from what the client has.
    case compared(SentRows, SentRows, RowDifference)
    /// The `SentRows` value has been taken out while a delta is made of it.
    case editing

    /// A reset in progress, sent line by line.
    struct Reset {
        let reason: String
        var chunk = 0
        var next = 0
    }

    /// The reading of a long window.
    struct Reading {
        let work: WindowReading
        let ticket: SurveyTicket
        /// What the client has, if a delta may follow.
        let former: SentRows?
        /// The reason of the reset otherwise.
        let reason: String
        /// What it has been read to, once it is.
        var now: SentRows?

        /// Where the transfer goes back to if the reading is given up: to what the client has.
        var before: ListTransfer { former.map { .following($0) } ?? .mustReset(reason: reason) }

        /// Where the transfer goes when all has been read; nil if it was given up.
        var end: ListTransfer? {
            guard let now else { return nil }
            if let former, let difference = work.difference {
                return .compared(former, now, difference)
            }
            return .resetting(Reset(reason: reason), now)
        }
    }

    /// What the client has; nil if it has no rows that are kept up to date.
    var sent: SentRows? {
        switch self {
        case .following(let sent), .compared(let sent, _, _): sent
        case .reading(let reading): reading.former
        case .mustReset, .waiting, .resetting, .editing: nil
        }
    }

    /// The state after a list of the latest request is shown, which the client has not: a reset of the list before is of
    /// no use, and neither is what was found out about it.
    var afterAdoption: ListTransfer {
        switch self {
        case .resetting: .mustReset(reason: "update")
        case .waiting: .mustReset(reason: "open")
        case .reading(let reading): reading.before
        case .compared(let sent, _, _): .following(sent)
        case .mustReset, .following, .editing: self
        }
    }

    /// The state after the first rows of a list are known before all. Of a list that is made again (`isRebuilt`) the
    /// client is sent what differs; another one is sent to it whole.
    func afterPreview(isRebuilt: Bool) -> ListTransfer {
        switch self {
        case .following where isRebuilt, .resetting where isRebuilt, .mustReset: self
        case .compared(let sent, _, _) where isRebuilt: .following(sent)
        case .following, .resetting, .compared, .editing: .mustReset(reason: "update")
        case .reading(let reading): reading.before.afterPreview(isRebuilt: false)
        case .waiting: .mustReset(reason: "open")
        }
    }

    /// Moves the sent rows out, so that they are uniquely referenced and edited in place. A second reference would make
    /// each delta copy all rows.
    mutating func takeSent() -> SentRows? {
        guard case .following(let sent) = self else { return nil }
        self = .editing
        return sent
    }
}

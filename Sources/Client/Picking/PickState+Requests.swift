internal import PickerClient
internal import TerminalCells

// What a state wants of the world. Each is cheap to make and to compare: it is asked for after each event.

extension PickState {
    /// The list that is shown.
    package var wantedList: WantedList? {
        WantedList(
            number: queryNumber,
            query: ListQuery(
                sort: line.isEmpty ? ["date"] : ["score"], search: line.isEmpty ? nil : line,
                match: options.match, start: 0, count: size.rows, highlights: true))
    }

    /// The marked documents, which are to be followed wherever they are.
    package var wantedMarked: KeysRequest? { nil }

    package var wantedRange: RangeRequest? { nil }

    package var wantedPreview: PreviewRequest? { nil }

    /// The documents for which actions are to be offered.
    package var wantedOffer: KeysRequest? { nil }

    /// Those that were not done when the state was made, in their order.
    package var wantedCommands: [PickCommand] { [] }

    /// A time limit: its number, and milliseconds. Nil at rest, so that nothing wakes the program.
    package var wantedTimer: TimerRequest? { nil }

    /// Whether the names of attributes are wanted, for completion.
    package var wantsAttributes: Bool { false }
}

/// A time after which `PickEvent.timeOut` is to come.
package struct TimerRequest: Hashable, Sendable {
    package var number: Int
    package var milliseconds: Int

    package init(number: Int, milliseconds: Int) {
        self.number = number
        self.milliseconds = milliseconds
    }
}

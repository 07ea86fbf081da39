internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Tells the client of a list how many documents are still to be read for the attributes on which its rows depend:
/// `items.pending`.
///
/// The client has each number that it was told last, and an attribute of which it was told nothing has 0. So it is told
/// only of what differs from that, and an attribute that is needed no more goes back to 0.
struct PendingTelling {
    /// What the client knows.
    private var told: [Attribute: Int] = [:]

    /// Notes that the client is told of what it does not know now that so many are to be read.
    /// - Parameter pending: nil while it is not known.
    /// - Returns: the numbers to be told, those of all attributes that are needed together; nil if the client knows them.
    mutating func news(_ pending: [Attribute: Int]?) -> [Attribute: Int]? {
        guard let pending else { return nil }
        var numbers = pending
        for (attribute, count) in told where count > 0 && numbers[attribute] == nil {
            numbers[attribute] = 0
        }
        if numbers == told { return nil }
        let isOver = numbers.values.allSatisfy { $0 == 0 } && told.values.allSatisfy { $0 == 0 }
        if isOver { return nil }
        told = pending
        return numbers
    }

    /// Sends what the client of the list `id` does not know yet.
    mutating func send(
        _ use: AttributeUse?, ofList id: RequestID, knowing known: AttributeDirectory,
        into sink: any LineSink
    ) {
        // A request that needs nothing any more waits for nothing.
        guard let numbers = news(use.map { $0.wish.needed.isEmpty ? [:] : $0.pending } ?? [:])
        else { return }
        sink.send { writer in
            writer.notification("items.pending") { writer in
                writer.object { writer in
                    writer.member("sub", id)
                    writer.member(object: "attributes") { writer in
                        for (attribute, count) in numbers.sorted(by: {
                            $0.key.number < $1.key.number
                        }) {
                            writer.key(escaping: known.name(of: attribute))
                            writer.integer(count)
                        }
                    }
                }
            }
        }
    }
}

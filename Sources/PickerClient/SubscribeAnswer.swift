internal import JSONText
internal import WireProtocol

/// The result of `events.subscribe`.
struct SubscribeAnswer {
    /// The place that the subscription starts from: nothing at or before it comes. Nil if the daemon
    /// does not say.
    let start: EventPosition?
    /// Of how many numbers after `since` there is nothing left.
    let lost: Int
    private let epoch: String?
    /// The number of the oldest event that is kept; one past the newest if none is.
    private let oldest: Int?

    init(reading view: JSONView) throws(ClientError) {
        let most = 0...EventPosition.greatest
        do throws(ProtocolError) {
            let reader = try ParameterReader(view)
            epoch = try reader.optionalString("epoch")
            if let epoch, EventPosition(epoch: epoch, seq: 0) == nil {
                throw reader.invalid("epoch", mustBe: "1 to 128 bytes without blanks")
            }
            lost = try reader.optionalInt("lost", in: most) ?? 0
            oldest = try reader.optionalInt("oldest", in: most)
            let from = try reader.optionalInt("from", in: most)
            if let epoch, let from {
                start = EventPosition(epoch: epoch, seq: max(0, from - 1))
            } else {
                start = nil
            }
        } catch {
            throw ClientError(
                .badMessage, "the daemon's answer is not as agreed: \(error.message)")
        }
    }

    /// What lies between `place` and what is kept; nil if nothing does. `hasCounted` is whether the
    /// daemon knew of `place`; else it is counted here.
    func loss(after place: EventPosition, hasCounted: Bool) -> EventLoss? {
        guard let epoch else { return nil }
        let beforeOldest = max(0, (oldest ?? 1) - 1)
        guard epoch == place.epoch else {
            return EventLoss(
                numbers: beforeOldest > 0 ? 1...beforeOldest : nil,
                reason: .newEpoch(after: place),
                position: EventPosition(epoch: epoch, seq: beforeOldest))
        }
        let last = hasCounted ? place.seq + lost : beforeOldest
        guard last > place.seq else { return nil }
        return EventLoss(
            numbers: place.seq + 1...last, reason: .notKept, position: place.moved(to: last))
    }
}

internal import JSONText
internal import WireProtocol

/// The result of `events.subscribe`.
struct SubscribeAnswer {
    /// The position at which the subscription starts: no event at or before it comes. Nil if the daemon
    /// does not say.
    let start: EventPosition?
    /// The number of missing events after `since`: those before `from`, and gaps among the kept ones.
    private let lost: Int
    private let from: Int?
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
            from = try reader.optionalInt("from", in: most)
            if let epoch, let from {
                start = EventPosition(epoch: epoch, seq: max(0, from - 1))
            } else {
                start = nil
            }
        } catch {
            throw .notAsAgreed(error.message)
        }
    }

    /// The losses after `place`, including reported ones. `hasCounted` is whether the daemon knew `place`;
    /// otherwise they are counted here, from the oldest kept event.
    func loss(after place: EventPosition, hasCounted: Bool) -> EventLoss? {
        guard let epoch else { return nil }
        let isSameEpoch = epoch == place.epoch
        // The old number has no meaning in another epoch.
        let before = isSameEpoch ? place.seq : 0
        let first = (hasCounted ? from : nil) ?? oldest ?? before + 1
        let leading = max(0, first - 1 - before)
        let missing = hasCounted ? lost : leading
        // A daemon that skips events that do not match starts after the missing ones.
        let areLeading = leading > 0 && leading <= missing
        let loss = EventLoss(
            numbers: areLeading ? before + 1...before + leading : nil,
            gaps: areLeading ? missing - leading : missing,
            reason: isSameEpoch ? .notKept : .newEpoch(after: place),
            position: EventPosition(epoch: epoch, seq: before + leading))
        return isSameEpoch && loss.count == 0 ? nil : loss
    }
}

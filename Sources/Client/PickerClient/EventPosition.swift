internal import WireProtocol

/// A place among the events of a daemon: right after the event with this number.
///
/// Its text is `EPOCH:SEQ`, which may be kept anywhere and read again. Compare places of the same
/// epoch only: another epoch's numbers are other events.
public struct EventPosition: Hashable, Sendable {
    /// Names the history that the number counts in.
    public let epoch: String
    /// The number of the event; 0 is before the first.
    public let seq: Int

    /// Numbers are exact in every JSON reader up to here.
    static let greatest = 1 << 53

    /// Nil if one of the two is not as said here.
    ///
    /// - Parameters:
    ///   - epoch: 1 to 128 bytes, without blanks and control characters.
    ///   - seq: 0 to 2⁵³.
    public init?(epoch: String, seq: Int) {
        let isSound = epoch.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && $0.properties.generalCategory != .control
        }
        guard isSound, (1...128).contains(epoch.utf8.count), (0...Self.greatest).contains(seq)
        else { return nil }
        self.epoch = epoch
        self.seq = seq
    }

    /// The same epoch's place after a later event; this one if `seq` is not later, or no number
    /// that an event can have.
    func moved(to seq: Int) -> EventPosition {
        seq > self.seq ? EventPosition(epoch: epoch, seq: seq) ?? self : self
    }
}

extension EventPosition: LosslessStringConvertible {
    /// Reads `EPOCH:SEQ`; the number is what follows the last colon. Nil for any other text.
    public init?(_ description: String) {
        guard let read = EpochNumber(description) else { return nil }
        self.init(epoch: read.epoch, seq: read.number)
    }

    /// `EPOCH:SEQ`
    public var description: String { "\(epoch):\(seq)" }
}

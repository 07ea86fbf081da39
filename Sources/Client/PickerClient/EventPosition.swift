internal import WireProtocol

/// A position among the events of a daemon: right after the event with this number.
///
/// Its text is `EPOCH:SEQ`, which can be stored and read again. Compare positions of the same epoch only:
/// in another epoch the numbers are other events.
public struct EventPosition: Hashable, Sendable {
    /// Identifies the history of the number.
    public let epoch: String
    /// The number of the event; 0 is before the first.
    public let seq: Int

    /// Numbers are exact in every JSON reader up to here.
    static let greatest = 1 << 53

    /// Nil if a parameter is out of range.
    ///
    /// - Parameters:
    ///   - epoch: 1 to 128 bytes, without blanks and control characters.
    ///   - seq: 0 to 2⁵³.
    package init?(epoch: String, seq: Int) {
        let isSound = epoch.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && $0.properties.generalCategory != .control
        }
        guard isSound, (1...128).contains(epoch.utf8.count), (0...Self.greatest).contains(seq)
        else { return nil }
        self.epoch = epoch
        self.seq = seq
    }

    /// The position after a later event of the same epoch; this one if `seq` is not later, or not a valid
    /// number.
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

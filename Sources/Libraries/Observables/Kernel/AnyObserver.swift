/// The part of an observer outside the graph that is independent of the type it receives.
class AnyObserver {
    let serial: Int

    init(serial: Int) {
        self.serial = serial
    }

    /// Receives the change that its node currently holds.
    func receive() {}

    /// Calls the sink.
    func deliver() {}
}

/// An observer outside the graph, apart from what it is told.
class AnyObserver {
    let serial: Int

    init(serial: Int) {
        self.serial = serial
    }

    /// Takes in the change that its node holds just now.
    func receive() {}

    /// Calls the sink.
    func deliver() {}
}

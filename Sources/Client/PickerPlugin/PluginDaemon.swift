internal import JSONText
public import PickerClient
package import SystemInterface
internal import WireProtocol

// The daemon, as a plugin sees it, and the whole state of the plugin.
//
// There is one thread, and requests are handled one after the other, in the order in which they came. While a handler
// runs, nothing else does, except for what comes while it waits here. All lines that have come are taken before a
// request is handled: a later one may cancel an earlier one.
//
// Invariants: `running` has the requests that are being handled, each within the one before; `waiting` has at most
// `Limits.waiting`; `asked` has what is called with the reply to each request of ours.

/// The daemon, as a plugin sees it.
///
/// It belongs to the thread that serves it: the main one. While a handler runs, nothing else does, with these
/// exceptions:
///
/// - ``call(_:_:timeout:)-(_,RawJSON,_)`` waits for the daemon's reply. Meanwhile it answers pings, and *handles
///   further requests*, up to 8 within each other, so that a daemon that needs this very plugin for the reply gets
///   what it needs. So what a handler relies on besides its own variables may have changed after a call; a handler
///   that must not be entered twice says so by a variable of its own. Beyond the 8, requests wait.
/// - ``isCancelled()``, ``progress(_:of:)``, ``publish(_:_:)`` and ``run(_:on:)`` answer pings and take in what has
///   come, but handle no requests. The daemon takes a plugin for dead that leaves a ping unanswered for 5 seconds:
///   what runs for longer than a second calls ``isCancelled()`` now and then. Between two files this is done here.
public final class PluginDaemon {
    /// The settings of the plugin: an object.
    public internal(set) var config = RawJSON(JSONObject())
    /// The folders whose documents the daemon has.
    public internal(set) var roots: [String] = []
    /// The language of the user, such as `de_DE.UTF-8`.
    public internal(set) var locale = ""
    /// The name and the version of the daemon.
    public internal(set) var name = ""
    /// The loop that waits between two requests. Other descriptors may be watched and timers set on it, which then
    /// have their turn between two requests.
    public let loop: PollLoop

    let socket: LineSocket
    let manifest: PluginManifest
    let parts: PluginParts
    /// Readable once the process was told to end.
    let termination: DescriptorBox?
    /// Prints a line for people.
    let report: (String) -> Void

    /// A request that is being handled.
    final class Handling {
        let id: RequestID
        var isCancelled = false

        init(_ id: RequestID) { self.id = id }
    }

    var running: [Handling] = []
    var waiting: [RequestEnvelope] = []
    var asked: [RequestID: (Result<RawJSON, PluginError>) -> Void] = [:]
    var lastID: Int64 = 0
    /// The events on their way.
    var published = 0
    var isGreeted = false
    /// When what had come was last taken in.
    private var lookedAt: Int64 = 0
    private var shownFaults = 0
    private var isEndTold = false
    /// Why it serves no longer; nil while it does.
    private(set) var end: PluginError?

    package init(
        _ socket: DescriptorBox, manifest: PluginManifest, parts: PluginParts,
        termination: DescriptorBox? = nil, isTraced: Bool = false,
        report: @escaping (String) -> Void
    ) {
        loop = PollLoop()
        self.socket = LineSocket(socket)
        self.manifest = manifest
        self.parts = parts
        self.termination = termination
        self.report = report
        if isTraced { self.socket.trace = report }
    }

    // MARK: The loop

    /// Serves the daemon until the end of the socket, `plugin.stop` or SIGTERM.
    /// - Returns: the exit status: 0, and 1 if it could not begin or the daemon sent what can't be read.
    package func serve() -> Int32 {
        for source in parts.sources.values { source.daemon = self }
        do {
            try parts.begin(self)
        } catch {
            report("the plugin \(manifest.id) can't begin: \(said(error))")
            return 1
        }
        let watch = loop.watch(socket.descriptor.number, for: .readable) { [self] _ in
            attempt { () throws(PluginError) in try socket.receive() }
        }
        let ending = termination.map { termination in
            loop.watch(termination.number, for: .readable) { [self] _ in
                end = end ?? .terminated
            }
        }
        loop.run(until: {
            work()
            return end != nil
        })
        watch.cancel()
        ending?.cancel()
        tellEnd()
        asked.removeAll()
        guard let end, end.code == .broken else { return 0 }
        report(end.message)
        return 1
    }

    /// Handles all requests that have come.
    private func work() {
        attempt { () throws(PluginError) in
            while end == nil {
                while try takeLine() {}
                guard !waiting.isEmpty else { return }
                handleNext()
                // What has come meanwhile may cancel the next. The end may have come, too, and is seen when all that
                // was asked before has been answered.
                _ = try? socket.receive()
            }
        }
    }

    /// Does something whose error is the end.
    private func attempt(_ deed: () throws(PluginError) -> Void) {
        do {
            try deed()
        } catch {
            close(error)
        }
    }

    /// It serves no longer, for the first reason told.
    func close(_ reason: PluginError) {
        end = end ?? reason
    }

    /// Calls what the program does at its end, once.
    func tellEnd() {
        if isEndTold { return }
        isEndTold = true
        parts.end()
    }

    /// - Throws: why it serves no longer.
    func requireOpen() throws(PluginError) {
        if let end { throw end }
        if let termination, termination.descriptor.poll(for: pollIn, milliseconds: 0) != 0 {
            close(.terminated)
            throw .terminated
        }
    }

    // MARK: What comes while a handler runs

    /// Takes in all that has come, answers pings, and handles nothing else.
    func takeIn() throws(PluginError) {
        try requireOpen()
        do {
            // Of a daemon that sends without end, the rest is for the next time.
            for _ in 0..<16 {
                let isMore = try socket.receive()
                while try takeLine() {}
                if !isMore { return }
            }
        } catch {
            close(error)
            throw error
        }
    }

    /// Takes in what has come if that was not done in the last 10 milliseconds.
    /// - Throws: ``PluginError/Code/cancelled`` if the request that is handled was.
    func lookUp() throws(PluginError) {
        let now = SystemClock.monotonicNanoseconds()
        if now - lookedAt > 10_000_000 {
            lookedAt = now
            try takeIn()
        }
        try requireWanted()
    }

    /// What has come counts as taken in now.
    func beginLookingUp() { lookedAt = SystemClock.monotonicNanoseconds() }

    func requireWanted() throws(PluginError) {
        if running.last?.isCancelled == true {
            throw PluginError(.cancelled, "the request was cancelled")
        }
    }

    /// Prints a fault of the plugin, if there were not many yet.
    func show(_ error: any Error, of what: String) {
        shownFaults += 1
        if shownFaults <= Limits.faults { report("\(what): \(said(error))") }
    }
}

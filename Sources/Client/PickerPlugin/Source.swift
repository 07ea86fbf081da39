internal import DequeModule
internal import JSONText
internal import MediaTypes
internal import PickerClient
internal import WireProtocol

// A collection of items that the daemon is kept up to date with.
//
// Nothing waits: changes are sent while the daemon takes them, at most `Limits.changes` at a time, and an item that changes
// again before its turn is sent once, as it is then. So what is kept is bounded by the number of items.
//
// The daemon confirms revisions of an epoch and, when it comes back, says which one it has. Within one run of the
// program it is sent what has changed since. The epoch is made from the items at the start, so after a restart with
// the same items nothing has to be sent either; else it is sent all, as a reset.
//
// Invariants: `dirty` has the identifiers in `unsent` that are not in `dirtyOrder` for the second time; `log` has the
// revision of each change that was sent since revision `forgotten`, oldest first.

/// A collection of items of the plugin's own.
///
///     Source("albums") { [SourceItem(id: "x9", name: "Rome", uri: "https://…")] }
///
/// ``refresh()`` calls the function again and sends what has changed; ``put(_:)`` and ``remove(_:)`` are for who knows
/// what that is. Limits: 1,000,000 items, of 64 KiB each.
public final class Source {
    /// The name of the source in the manifest.
    public let name: String
    private let list: () throws -> [SourceItem]
    /// Set when it is served.
    weak var daemon: PluginDaemon?

    /// The items by identifier, encoded.
    private var items: [String: [UInt8]] = [:]
    private var epoch: String?
    private var revision: Int64 = 0
    private var log: Deque<(revision: Int64, id: String)> = []
    /// The greatest revision of which changes are no longer remembered.
    private var forgotten: Int64 = 0
    /// The identifiers whose present state is to be sent.
    private var dirty: Set<String> = []
    private var dirtyOrder: Deque<String> = []
    private var isOpen = false
    private var inFlight = 0
    private var failures = 0
    /// Tells replies to what was sent before the daemon opened it again, or before the latest reset.
    private var opening = 0
    private var attempt = 0
    private var reset: SourceReset?
    /// Whether people were told that the daemon left items out.
    private var hasTold = false

    /// A source.
    ///
    /// - Parameters:
    ///   - name: the name of the source in the manifest.
    ///   - list: what returns all items as they are now. It is called when the daemon opens the source, and by
    ///     ``refresh()``.
    public init(_ name: String, list: @escaping () throws -> [SourceItem]) {
        self.name = name
        self.list = list
    }

    /// The number of items.
    public var count: Int { items.count }

    /// Whether there is an item with this identifier.
    public func contains(_ id: String) -> Bool { items[id] != nil }

    /// Adds items, or changes those with the same identifiers.
    ///
    /// - Throws: ``PluginError/Code/failed`` for an item that can't be sent, before anything is changed.
    public func put(_ items: [SourceItem]) throws(PluginError) {
        var encoded: [(id: String, line: [UInt8])] = []
        for item in items { encoded.append((item.id, try encode(item))) }
        let added = Set(encoded.map(\.id)).count { self.items[$0] == nil }
        try checkCount(self.items.count + added)
        for (id, line) in encoded where self.items[id] != line {
            self.items[id] = line
            markDirty(id)
        }
        try push()
    }

    /// Removes items; one that is not there is no error.
    ///
    /// - Throws: ``PluginError/Code/ended``.
    public func remove(_ ids: some Sequence<String>) throws(PluginError) {
        for id in ids where items.removeValue(forKey: id) != nil { markDirty(id) }
        try push()
    }

    /// Calls the function again, and sends what has changed.
    ///
    /// - Throws: what the function throws, and ``PluginError/Code/failed`` for an item that can't be sent. Nothing is
    ///   changed then.
    public func refresh() throws {
        try load()
        try push()
    }

    private func load() throws {
        var now: [String: [UInt8]] = [:]
        for item in try list() {
            now[item.id] = try encode(item)
            try checkCount(now.count)
        }
        for (id, line) in now where items[id] != line { markDirty(id) }
        for id in items.keys where now[id] == nil { markDirty(id) }
        items = now
    }

    private func checkCount(_ count: Int) throws(PluginError) {
        guard count > Limits.items else { return }
        throw PluginError("the source \(name) would have more than \(Limits.items) items")
    }

    private func markDirty(_ id: String) {
        if dirty.insert(id).inserted { dirtyOrder.append(id) }
    }

    private func encode(_ item: SourceItem) throws(PluginError) -> [UInt8] {
        guard 1...Limits.identifier ~= item.id.utf8.count else {
            throw PluginError(
                "an item of \(name) has the id '\(item.id.cut(to: 60))': not 1 to "
                    + "\(Limits.identifier) bytes")
        }
        let line = try item.encoded(types: daemon?.manifest.types ?? [:])
        guard line.count <= Limits.item else {
            throw PluginError(
                "the item \(item.id.cut(to: 60)) of \(name) has \(line.count) bytes; "
                    + "\(Limits.item) are allowed")
        }
        return line
    }

    // MARK: The daemon's side

    /// Answers `source.open`. What has to be sent is sent after the answer.
    func open(since token: String?) throws -> JSONFragment {
        try load()
        opening += 1
        inFlight = 0
        failures = 0
        reset = nil
        let token = SourceToken(token)
        let (before, known) = (token.epoch, token.revision)
        var isResumed = false
        if epoch == nil {
            var own = digest()
            dirty.removeAll()
            dirtyOrder.removeAll()
            isResumed = before == own && known == 0
            if before == own, !isResumed {
                // The daemon has later items of a run that began with the same ones.
                own += "-" + String(UInt32.random(in: 0 ... .max), radix: 16)
            }
            epoch = own
        } else if before == epoch, known >= forgotten, known <= revision {
            isResumed = true
            while let last = log.last, last.revision > known {
                markDirty(last.id)
                log.removeLast()
            }
            revision = known
        }
        if !isResumed { beginReset() }
        isOpen = true
        let told = epoch ?? ""
        return JSONFragment { writer in
            writer.object { writer in
                writer.member("epoch", told)
                writer.key("rev")
                writer.integer(revision)
                writer.member("resumed", isResumed)
            }
        }
    }

    /// 16 digits for the items as they are.
    private func digest() -> String {
        var all: [UInt8] = []
        for line in items.sorted(by: { $0.key < $1.key }).map(\.value) {
            all += MD5.digest(of: line.span)
        }
        return String(MD5.text(of: all.span).prefix(16))
    }

    private func beginReset() {
        dirty.removeAll()
        dirtyOrder.removeAll()
        reset = SourceReset(Array(items.keys))
    }

    /// Sends what there is to send, as far as the daemon takes it.
    func push() throws(PluginError) {
        while isOpen, inFlight < Limits.changes {
            if reset != nil {
                try sendChunk()
            } else if !dirty.isEmpty {
                try sendChange()
            } else {
                return
            }
        }
    }

    private func sendChunk() throws(PluginError) {
        guard let (number, lines, isLast) = reset?.next(items) else { return }
        if isLast { reset = nil }
        try send("source.reset", lines) { writer in
            writer.key("rev")
            writer.integer(revision)
            writer.member("chunk", number)
            writer.member("last", isLast)
        }
    }

    private func sendChange() throws(PluginError) {
        var lines: [[UInt8]] = []
        var removed: [String] = []
        var size = SourceReset.around
        revision += 1
        while let id = dirtyOrder.first {
            let line = items[id]
            // JSON may make an identifier six times as long.
            size += line.map { $0.count + 1 } ?? 6 * id.utf8.count + 3
            if size > Limits.change, !(lines.isEmpty && removed.isEmpty) { break }
            dirtyOrder.removeFirst()
            dirty.remove(id)
            log.append((revision, id))
            if let line { lines.append(line) } else { removed.append(id) }
        }
        while log.count > Limits.remembered { forgotten = log.removeFirst().revision }
        try send("source.change", lines) { writer in
            writer.key("from")
            writer.integer(revision - 1)
            writer.key("to")
            writer.integer(revision)
            writer.key("removed")
            writer.array { writer in removed.forEach { writer.string($0) } }
        }
    }

    private func send(
        _ method: String, _ lines: [[UInt8]], _ members: (inout JSONWriter) -> Void
    ) throws(PluginError) {
        guard let daemon else { return }
        let params = JSONFragment { writer in
            writer.object { writer in
                writer.member("source", name)
                members(&writer)
                writer.key("put")
                writer.array { writer in
                    for line in lines { writer.fragment(JSONFragment(sound: line)) }
                }
            }
        }
        let (opening, attempt) = (opening, attempt)
        inFlight += 1
        try daemon.ask(method, params) { [self] outcome in
            if opening != self.opening { return }
            inFlight -= 1
            if attempt == self.attempt {
                if case .failure(let error) = outcome {
                    fail(error)
                } else if method == "source.change" {
                    failures = 0
                }
            }
            if case .success(let result) = outcome { tellLeftOut(result) }
            // Its error is the end, which the daemon notes.
            try? push()
        }
    }

    /// The daemon leaves out an item that it can't read, and takes the others. The first is told to people.
    private func tellLeftOut(_ result: RawJSON) {
        guard !hasTold, let result = try? JSONValue(parsing: result.fragment.bytes),
            (result["leftOut"]?.integerValue ?? 0) > 0
        else { return }
        hasTold = true
        let reason = result["reason"]?.stringValue ?? "it does not say why"
        daemon?.report("the daemon left items of \(name) out: \(reason.cut(to: 500))")
    }

    /// A change that was not taken leaves the daemon with other items: it is sent all, a few times.
    private func fail(_ error: PluginError) {
        daemon?.report("the daemon did not take a change of \(name): \(error.message)")
        attempt += 1
        failures += 1
        if failures >= 3 {
            isOpen = false
            return
        }
        revision += 1
        log.removeAll()
        forgotten = revision
        beginReset()
    }
}

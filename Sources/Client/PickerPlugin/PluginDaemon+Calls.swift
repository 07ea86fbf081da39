internal import JSONText
public import PickerClient
internal import SystemInterface
internal import WireProtocol

extension PluginDaemon {
    /// Calls a method of the daemon, and returns the result. Further requests are handled meanwhile.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - parameters: its parameters, an object.
    ///   - timeout: how long to wait for the reply; nil for ever.
    /// - Returns: the result.
    /// - Throws: ``PluginError/Code/refused`` with the daemon's error, ``PluginError/Code/timedOut``,
    ///   ``PluginError/Code/tooLong``, ``PluginError/Code/cancelled`` if the request that is handled was cancelled,
    ///   and ``PluginError/Code/ended``.
    @discardableResult
    public func call(
        _ method: String, _ parameters: RawJSON, timeout: Duration? = .seconds(30)
    ) throws(PluginError) -> RawJSON {
        var outcome: Result<RawJSON, PluginError>?
        let id = try ask(method, parameters.fragment) { outcome = $0 }
        let deadline = timeout.map { Self.deadline(in: $0) }
        while outcome == nil {
            do throws(PluginError) {
                try requireWanted()
                if !waiting.isEmpty, running.count < Limits.nested {
                    handleNext()
                    try requireOpen()
                } else if !(try takeLine()), !(try wait(until: deadline)) {
                    throw PluginError(.timedOut, "the daemon did not answer \(method) in time")
                }
            } catch {
                // The reply may come yet, and is nobody's.
                asked[id] = nil
                if end == nil { try notify("$/cancel", ["id": id.value]) }
                throw error
            }
        }
        guard let outcome else { throw .atEnd }
        return try outcome.get()
    }

    /// Calls a method of the daemon with parameters of any type that is encoded as an object.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - parameters: its parameters.
    ///   - timeout: how long to wait for the reply; nil for ever.
    /// - Returns: the result.
    /// - Throws: as ``call(_:_:timeout:)-(_,RawJSON,_)``, and ``PluginError/Code/failed`` if the parameters can't be
    ///   encoded.
    @discardableResult
    public func call(
        _ method: String, _ parameters: some Encodable, timeout: Duration? = .seconds(30)
    ) throws(PluginError) -> RawJSON {
        try call(method, Self.encoded(parameters), timeout: timeout)
    }

    /// Publishes an event on one of the plugin's own topics, without waiting for the reply. If the daemon refuses it,
    /// that is printed. With 64 on their way it waits until there are fewer.
    ///
    /// - Parameters:
    ///   - topic: a topic of the manifest.
    ///   - data: what the event says, if it says anything.
    /// - Throws: ``PluginError/Code/manifest`` for another topic, ``PluginError/Code/tooLong``, and
    ///   ``PluginError/Code/ended``.
    public func publish(_ topic: String, _ data: RawJSON? = nil) throws(PluginError) {
        try manifest.require(topic, in: manifest.topics, what: "topic")
        let params = JSONFragment { writer in
            writer.object { writer in
                writer.member("topic", topic)
                if let data { writer.member("data", data.fragment) }
            }
        }
        try tell("events.publish", params, "an event of \(topic)")
    }

    /// Says that values of a group have changed while the files stayed as they are. The daemon forgets what it was told
    /// of them, keeps showing it, and asks again for what somebody looks at.
    ///
    /// It does not wait for the reply, as ``publish(_:_:)``. Of more than 1000 documents it tells in several requests.
    ///
    /// - Parameters:
    ///   - group: a group of attributes of the manifest.
    ///   - keys: the documents, by ``DocumentFile/key``; nil for all.
    /// - Throws: ``PluginError/Code/manifest`` for another group, ``PluginError/Code/tooLong``, and
    ///   ``PluginError/Code/ended``.
    public func changed(_ group: String, keys: [String]? = nil) throws(PluginError) {
        try manifest.require(group, in: manifest.groups.keys.sorted(), what: "group")
        guard let keys else {
            return try tellChange(of: group, nil)
        }
        for start in stride(from: 0, to: keys.count, by: Limits.changed) {
            try tellChange(of: group, keys[start...].prefix(Limits.changed))
        }
    }

    private func tellChange(of group: String, _ keys: ArraySlice<String>?) throws(PluginError) {
        let params = JSONFragment { writer in
            writer.object { writer in
                writer.member("group", group)
                if let keys { writer.member("keys", Array(keys)) }
            }
        }
        try tell("attributes.changed", params, "a change of \(group)")
    }

    /// Asks something of the daemon without waiting for the reply, unless too many are on their way.
    private func tell(
        _ method: String, _ params: JSONFragment, _ what: String
    ) throws(PluginError) {
        while published >= Limits.published {
            if !(try takeLine()) { _ = try wait(until: nil) }
        }
        try ask(method, params) { [self] outcome in
            published -= 1
            if case .failure(let error) = outcome {
                report("the daemon refused \(what): \(error.message)")
            }
        }
        published += 1
    }

    /// Whether the daemon no longer wants what is being handled, or it is time to go. Answers pings that have come.
    ///
    /// - Returns: whether to give up.
    public func isCancelled() -> Bool {
        do {
            try takeIn()
        } catch {
            return true
        }
        return running.last?.isCancelled == true
    }

    /// Tells how far the request is that is being handled, and answers pings that have come.
    ///
    /// - Parameters:
    ///   - done: the parts that are done.
    ///   - total: all parts.
    /// - Throws: ``PluginError/Code/ended``.
    public func progress(_ done: Int, of total: Int) throws(PluginError) {
        try takeIn()
        guard let handling = running.last else { return }
        try notify(
            "$/progress",
            ["id": handling.id.value, "done": JSONValue(done), "total": JSONValue(total)])
    }

    /// A moment on the machine's monotonic clock.
    static func deadline(in wait: Duration) -> Int64 {
        let (sum, overflow) = SystemClock.monotonicNanoseconds()
            .addingReportingOverflow(max(0, wait.wholeNanoseconds))
        return overflow ? .max : sum
    }

    private static func encoded(_ value: some Encodable) throws(PluginError) -> RawJSON {
        do {
            return try RawJSON(encoding: value)
        } catch {
            throw PluginError(error.message)
        }
    }
}

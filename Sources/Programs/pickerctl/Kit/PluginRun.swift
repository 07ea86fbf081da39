import Glibc
import JSONText
import PickerClient
import PluginProcesses
import SystemInterface
import TerminalCells
import WireProtocol

/// A plugin in the foreground: its conversation is printed, and what it asks the daemon is passed on to a running one.
final class PluginRun {
    /// The longest part of a line that is printed.
    private static let longestTrace = 4000
    private static let greetingTime = Duration.seconds(5)
    private static let endTime = Duration.seconds(2)

    private let plugin: RunningPlugin
    private let loop: PollLoop
    private let isTraced: Bool
    private var relay: DaemonRelay?
    private var noDaemon = ""
    private var signals: SignalPipe?
    private var signal: Int32?

    init(
        _ folder: RawPath, _ manifest: ProcessManifest, roots: [String], trace: Bool
    ) throws(SystemError) {
        loop = PollLoop()
        isTraced = trace
        plugin = try RunningPlugin(folder, manifest, roots: roots, on: loop)
        plugin.onPrint = { line, _ in Output.errors.say("| " + VisibleText.escaping(line)) }
        plugin.onFault = { Output.errors.say("! " + VisibleText.escaping($0)) }
        plugin.onLine = { [unowned self] direction, line in
            show(direction == .toPlugin ? "→" : "←", line)
        }
        plugin.onRequest = { [unowned self] in take($0, $1) }
        signals = try SignalPipe([SIGINT, SIGTERM, SIGHUP], on: loop) { [unowned self] number in
            self.signal = number
        }
    }

    private func show(_ arrow: String, _ line: [UInt8]) {
        guard isTraced else { return }
        let text = RunningPlugin.shown(line, atMost: Self.longestTrace)
        Output.errors.say("\(arrow) " + VisibleText.escaping(json: text))
    }

    /// Passes what the plugin asks on to the daemon at `path`, if there is one.
    func join(_ path: Result<String, ClientError>) {
        do throws(ClientError) {
            relay = try DaemonRelay(to: path.get(), on: loop) { [unowned self] line in
                plugin.send(line)
            }
        } catch {
            noDaemon = "\(error)"
            if isTraced { Output.errors.say("  \(VisibleText.escaping(noDaemon))") }
        }
    }

    private func take(_ request: RequestEnvelope, _ line: [UInt8]) {
        switch request.method {
        case "$/progress": return
        case "source.change", "source.reset":
            // Sent to whoever opened the source. Nobody has here, and there is nothing to say about it.
            if let id = request.id { plugin.reply(to: id, .success([:])) }
        default:
            if let relay, relay.end == nil { return relay.send(line) }
            guard let id = request.id else { return }
            plugin.reply(to: id, .failure(.notReady(relay?.end ?? noDaemon)))
        }
    }

    // MARK: Requests

    /// - Throws: if it is not answered as it must be.
    func greet(config: JSONValue, roots: [String]) throws {
        let params: JSONValue = [
            "api": JSONValue(Greeting.version),
            "capabilities": ["extract", "source", "action", "cancel"],
            "daemon": .string("pickerctl/\(ClientVersion.text)"), "epoch": "0", "config": config,
            "roots": .array(roots.map { .string($0) }),
            "locale": .string(CurrentProcess.environment("LANG") ?? "C"),
        ]
        let result = try ask("plugin.hello", params, within: Self.greetingTime)
        do throws(GreetingFault) {
            try Greeting.check(.success(JSONView(result)), of: plugin.manifest)
        } catch {
            throw CommandError("\(error)")
        }
    }

    /// The result of a request. A signal ends the wait.
    func ask(_ method: String, _ params: JSONValue, within limit: Duration) throws -> JSONValue {
        let id = plugin.begin(method, params)
        loop.run(within: limit) { signal != nil || plugin.isOver || !plugin.isBusy }
        if signal != nil { throw ExitStatus.no }
        let answer = plugin.answer(to: id, within: .zero)
        if case .result(let value) = answer { return value }
        if case .silence = answer {
            throw CommandError(PluginTrial.text(.silence(limit), method))
        }
        throw CommandError(PluginTrial.text(answer, method))
    }

    /// The answers for files, in their order, of each group.
    func extract(_ group: AttributeGroup, _ files: [SampleFile]) throws -> [FileAnswer] {
        let extraction = Extraction(group)
        let limit = Duration.milliseconds(plugin.manifest.limits.callMs)
        var all: [FileAnswer] = []
        for start in stride(from: 0, to: files.count, by: Extraction.batch) {
            let batch = Array(files[start..<min(start + Extraction.batch, files.count)])
            let result = try ask("attributes.extract", extraction.params(batch), within: limit)
            do throws(NotPassed) {
                all += try extraction.read(result, of: batch.count)
            } catch {
                throw CommandError(error.why)
            }
        }
        for fault in extraction.faults { Output.errors.say("! " + VisibleText.escaping(fault)) }
        return all
    }

    // MARK: The end

    /// Goes on until a signal, or the end of the plugin, which is an error.
    func serve() throws {
        loop.run { signal != nil || plugin.isOver }
        if signal == nil {
            let end = plugin.awaitEnd(.seconds(1))
            plugin.dismiss()
            throw CommandError("the plugin ended: \(end?.reason ?? "it closed its descriptor 3")")
        }
    }

    /// Tells the plugin to stop, and ends it if it does not within two seconds. After a signal this program ends by it.
    func stop() {
        if !plugin.isOver {
            _ = plugin.ask("plugin.stop", [:], within: Self.endTime)
            plugin.close()
            plugin.awaitEnd(Self.endTime)
        }
        plugin.dismiss()
        if let signal { SignalPipe.die(by: signal) }
    }
}

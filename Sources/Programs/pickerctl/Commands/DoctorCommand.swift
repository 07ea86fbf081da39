import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong with the daemon, and say what to do.",
        discussion: """
            Each line is a check: ok, a note, or a problem, with what to do below it. It works without a \
            daemon, too. The status is 1 if there is a problem, and 3 if there is no daemon.
            """)

    @Flag(help: "JSON: an object with an array of checks.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let (report, status) = examine()
        if json {
            try Output.standard.writeJSON(report.json)
        } else {
            // The last column stays free: some terminals wrap when it is written.
            let limit = Terminal.output.isTerminal ? Terminal.output.size.columns - 1 : nil
            for line in report.lines(common.palette, limit: limit) {
                try Output.standard.writeLine(line)
            }
        }
        try Output.standard.flush()
        if status != 0 { throw ExitStatus(code: status) }
    }

    /// All checks, and the exit status.
    private func examine() -> (CheckReport, Int32) {
        let limits = InotifyLimits { ProcFile.text("/proc/sys/\($0)") }
        let place: SocketPlace
        do throws(ClientError) {
            let (path, origin) = try SocketPath.locate(explicit: common.socket)
            place = SocketPlace(path: path, origin: origin.text)
        } catch {
            return withoutDaemon(error, nil, limits)
        }
        do throws(ClientError) {
            let checks = try withDaemon(place, limits)
            return (checks, checks.problemCount == 0 ? 0 : 1)
        } catch {
            return withoutDaemon(error, place, limits)
        }
    }

    private func withDaemon(
        _ place: SocketPlace, _ limits: InotifyLimits
    ) throws(ClientError) -> CheckReport {
        let connection = try common.connect()
        let greeting = connection.send(.hello(client: "pickerctl"))
        let answer = connection.send(.info)
        let list = connection.send(.plugins)
        let hello = try greeting.wait()
        let status = try answer.wait()
        var plugins: [Check]
        do throws(ClientError) {
            plugins = DaemonChecks.plugins(try list.wait())
        } catch {
            guard error.code == .refused else { throw error }
            plugins = [Check("plugins", .note, "the daemon does not list its plugins: \(error)")]
        }
        let tables = ProcessTables.ofDaemon(status.pid)
        return CheckReport(
            DaemonChecks.daemon(hello, status)
                + place.checks(own: CurrentProcess.uid, isServed: true)
                + LimitChecks(limits, status, tables).checks
                + DaemonChecks.settings(status)
                + RootChecks.checks(of: status.roots) { path in
                    let found = try? FileStatus.of(RawPath(path), followingLinks: true)
                    return found?.kind == .directory
                }
                + plugins)
    }

    private func withoutDaemon(
        _ error: ClientError, _ place: SocketPlace?, _ limits: InotifyLimits
    ) -> (CheckReport, Int32) {
        // What hangs, or is another program, is there: the units don't help to start it.
        let isAbsent = [.noDaemon, .noSocketPath].contains(error.code)
        var steps = error.advice.map { [$0] } ?? []
        var unit: [Check] = []
        if isAbsent {
            let answer: Result<UserUnits, UserUnits.Unavailable>
            do throws(UserUnits.Unavailable) {
                answer = .success(try UserUnits.ask())
            } catch {
                answer = .failure(error)
            }
            // The variables hold for the daemon, too.
            let option = common.socket == nil ? "" : "--socket PATH "
            let advice = UserUnits.advice(
                answer, on: place?.path, byHand: "pickerd \(option)FOLDER")
            unit = [advice.check]
            steps = advice.steps
        }
        let checks =
            [Check("daemon", .problem, "\(error)", next: steps)]
            + (place?.checks(own: CurrentProcess.uid, isServed: !isAbsent) ?? [])
            + unit + LimitChecks(limits).checks
        return (CheckReport(checks), error.exitStatus)
    }
}

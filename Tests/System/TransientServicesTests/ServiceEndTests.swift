import MessageBus
import Testing

@testable import TransientServices

@Suite("Ends of services")
struct ServiceEndTests {
    struct Case: Sendable {
        let result: String
        var code: Int64 = 1
        var status: Int64 = 0
        var wasActive = true
        let end: ServiceEnd
    }

    private func state(_ change: [String: ReceivedValue] = [:]) -> UnitState {
        let usual: [String: ReceivedValue] = [
            "Id": .text("a.service"), "LoadState": .text("loaded"), "ActiveState": .text("failed"),
            "Job": .number(0), "ActiveEnterTimestampMonotonic": .number(5), "MainPID": .number(0),
            "Result": .text("success"), "ExecMainCode": .number(0), "ExecMainStatus": .number(0),
        ]
        return UnitState(usual.merging(change) { $1 })
    }

    @Test(
        "the end follows from the properties",
        arguments: [
            Case(result: "exit-code", status: 3, end: .exited(3)),
            Case(result: "success", status: 0, end: .exited(0)),
            Case(result: "signal", code: 2, status: 9, end: .killed(9)),
            Case(result: "core-dump", code: 3, status: 11, end: .killed(11)),
            Case(result: "oom-kill", code: 2, status: 9, end: .outOfMemory),
            Case(result: "timeout", code: 2, status: 9, end: .timedOut),
            Case(
                result: "exit-code", status: 217, wasActive: false, end: .startFailed(status: 217)),
            // A program may use the manager's numbers for its own ends.
            Case(result: "exit-code", status: 217, end: .exited(217)),
            Case(result: "exit-code", status: 127, end: .startFailed(status: 127)),
            Case(result: "exit-code", status: 126, end: .startFailed(status: 126)),
            Case(result: "exit-code", status: 125, end: .exited(125)),
            // It ended before the manager saw that it was executed.
            Case(result: "exit-code", status: 3, wasActive: false, end: .exited(3)),
            Case(result: "resources", code: 0, wasActive: false, end: .startFailed(status: 0)),
            Case(result: "success", code: 0, wasActive: false, end: .forgotten),
        ])
    func ends(_ test: Case) {
        let state = state([
            "Result": .text(test.result), "ExecMainCode": .number(test.code),
            "ExecMainStatus": .number(test.status),
            "ActiveEnterTimestampMonotonic": .number(test.wasActive ? 5 : 0),
        ])
        #expect(ServiceEnd(state) == test.end)
    }

    @Test("a unit that is a name alone has been forgotten")
    func notLoaded() {
        let state = state([
            "LoadState": .text("not-found"), "Result": .text("exit-code"),
            "ExecMainCode": .number(1), "ExecMainStatus": .number(3),
        ])
        #expect(ServiceEnd(state) == .forgotten)
    }

    @Test("it is over when it is inactive, and no start is waiting")
    func over() {
        #expect(state().isOver)
        #expect(state(["ActiveState": .text("inactive")]).isOver)
        #expect(!state(["ActiveState": .text("inactive"), "Job": .number(7)]).isOver)
        for running in ["active", "activating", "deactivating", ""] {
            #expect(!state(["ActiveState": .text(running)]).isOver)
        }
    }

    @Test("a state without properties is no end")
    func empty() {
        #expect(!UnitState([:]).isOver)
    }
}

import MediaTypes
package import MessageBus
package import PickerClient
import SystemInterface

// The dialogs of programs: each a picker, and all at once. A call is answered when its dialog has ended; meanwhile
// others are taken. Nothing is asked of the portal, which waits for us when it starts.

/// What the portal calls, and the dialogs that are open.
package final class PortalDesk {
    /// The most dialogs at once.
    package static let most = 100

    private struct Open {
        let request: PortalRequest
        let call: BusMessage
        let dialog: PortalDialog
    }

    /// Whether dialogs are begun; not by a program that is about to end, which would take them with it.
    package var takesDialogs = true

    private let loop: PollLoop
    private let terminals: TerminalStarter
    private let environment: [String: String]
    private let send: (BusMessage) -> Void
    private let log: (String) -> Void
    private var dialogs: [String: Open] = [:]
    private lazy var conditions = FilterConditions(.installed(environment))

    /// None is open yet.
    ///
    /// - Parameters:
    ///   - loop: the loop on which dialogs are followed.
    ///   - terminals: what starts them.
    ///   - environment: the variables.
    ///   - send: sends an answer.
    ///   - log: tells what could not be done.
    package init(
        on loop: PollLoop, in terminals: TerminalStarter, environment: [String: String],
        send: @escaping (BusMessage) -> Void, log: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.terminals = terminals
        self.environment = environment
        self.send = send
        self.log = log
    }

    /// Whether a dialog is open.
    package var isBusy: Bool { !dialogs.isEmpty }

    /// Whether there is a dialog of that handle.
    package func has(_ handle: String) -> Bool { dialogs[handle] != nil }

    /// Begins a dialog, and answers when it has ended.
    ///
    /// - Returns: what is wrong with the call, which is then not answered.
    package func begin(_ kind: PortalRequest.Kind, _ call: BusMessage) -> String? {
        var request = PortalRequest(kind)
        guard let handle = call.readText("o"), let application = call.readText(),
            call.readText() != nil, let title = call.readText()
        else { return "its values can't be read" }
        request.application = application
        request.title = title
        call.readOptions(of: &request)
        if request.files.count > PortalRequest.mostFiles {
            return "more than \(PortalRequest.mostFiles) files are to be saved"
        }
        if has(handle) { return "there is a dialog of \(handle) already" }
        open(request, handle, call)
        return nil
    }

    private func open(_ request: PortalRequest, _ handle: String, _ call: BusMessage) {
        guard takesDialogs, dialogs.count < Self.most else {
            let why =
                takesDialogs ? "\(Self.most) are open already" : "this program is about to end"
            return fail(call, why)
        }
        let dialog = PortalDialog(on: loop) { [weak self] in self?.ended(handle, $0) }
        do throws(TerminalError) {
            try dialog.start(in: terminals, folder: environment["XDG_RUNTIME_DIR"]) {
                request.arguments(socket: $0, conditions)
            }
            dialogs[handle] = Open(request: request, call: call, dialog: dialog)
        } catch {
            fail(call, "\(error)")
        }
    }

    /// Ends the dialog of a handle, and answers its call.
    package func close(_ handle: String) {
        guard let open = dialogs.removeValue(forKey: handle) else { return }
        open.dialog.close()
        answer(open.call, PortalResult(response: .failed))
    }

    /// Ends all dialogs.
    package func closeAll() {
        for handle in Array(dialogs.keys) { close(handle) }
    }

    private func ended(_ handle: String, _ end: PortalDialog.End) {
        guard let open = dialogs.removeValue(forKey: handle) else { return }
        switch end {
        case .picked(let paths): answer(open.call, result(open.request, paths))
        case .cancelled: answer(open.call, PortalResult(response: .cancelled))
        case .failed(let reason): fail(open.call, reason)
        }
    }

    private func result(_ request: PortalRequest, _ picked: [[UInt8]]) -> PortalResult {
        var paths = picked
        if request.kind == .saveFiles, let folder = picked.first {
            paths = request.paths(in: folder) { path in
                RawPath(bytes: path).map { (try? FileStatus.of($0)) != nil } ?? false
            }
        } else if !request.isMultiple || request.kind == .saveFile {
            paths = Array(picked.prefix(1))
        }
        return PortalResult(
            response: .done, uris: paths.compactMap { FileURI.text(ofPath: $0.span) },
            choices: request.choices, filter: request.filter(for: paths, conditions),
            isWritable: request.kind == .openFile ? true : nil)
    }

    private func fail(_ call: BusMessage, _ reason: String) {
        log("no dialog was shown, or it has failed: \(DesktopText.shown(reason))")
        answer(call, PortalResult(response: .failed))
    }

    private func answer(_ call: BusMessage, _ result: PortalResult) {
        guard call.isAnswerExpected, let answer = call.makeAnswer() else { return }
        answer.append(result)
        send(answer)
    }
}

package import MessageBus
import PickerClient

// The objects that desktops call.
//
// Each call that waits for an answer gets one: an error only if it is no call of an interface that is here. What the
// daemon can't do is answered with nothing, and said in the log.

/// The object at `DesktopInterfaces.path`, with the interfaces of GNOME and of KRunner; and those of the portal, whose
/// dialogs a `PortalDesk` has.
package final class DesktopObject {
    /// The most texts of a call that are read, and their bytes. More are left out.
    static let mostTexts = 64
    static let mostBytes = 64 << 10

    private let desk: SearchDesk
    private let portal: PortalDesk
    private let send: (BusMessage) -> Void
    private let log: (String) -> Void
    private let launch: ([String]) -> Void
    private let home: String?
    private var recent = RecentItems()

    /// - Parameters:
    ///   - desk: the daemon.
    ///   - portal: the dialogs.
    ///   - home: the user's folder.
    ///   - send: sends an answer.
    ///   - launch: starts a picker with words.
    ///   - log: tells what could not be done.
    package init(
        on desk: SearchDesk, _ portal: PortalDesk, home: String?,
        send: @escaping (BusMessage) -> Void,
        launch: @escaping ([String]) -> Void, log: @escaping (String) -> Void
    ) {
        self.desk = desk
        self.portal = portal
        self.home = home
        self.send = send
        self.launch = launch
        self.log = log
    }

    /// Handles a call. It is answered now, or when the daemon has answered.
    package func take(_ call: BusMessage) {
        let path = call.path
        let member = call.member
        let introspect = DesktopInterfaces.introspectable + ".Introspect"
        let isRequest = portal.has(path)
        let isObject =
            isRequest || [DesktopInterfaces.path, DesktopInterfaces.portalPath].contains(path)
        guard isObject || member == introspect,
            let description = DesktopInterfaces.description(of: path, isRequest: isRequest)
        else { return refuse(call, "UnknownObject", "there is no object \(Self.named(path))") }
        guard
            let signature = DesktopInterfaces.signature(
                of: member, at: path, isRequest: isRequest)
        else {
            return refuse(call, "UnknownMethod", "there is no method \(member)")
        }
        guard call.signature == signature else {
            return refuse(
                call, "InvalidArgs",
                "\(member) takes values of the types '\(signature)', not '\(call.signature)'")
        }
        if member == introspect { return answer(call) { $0.append(description) } }
        let name = String(member.split(separator: ".").last ?? "")
        if member == "\(DesktopInterfaces.searchProvider).\(name)" {
            search(call, name)
        } else if member == "\(DesktopInterfaces.runner).\(name)" {
            run(call, name)
        } else if member == "\(DesktopInterfaces.fileChooser).\(name)" {
            begin(call, name)
        } else if member == "\(DesktopInterfaces.request).\(name)" {
            answer(call)
            portal.close(path)
        } else {
            tellProperties(call, name)
        }
    }

    private func answer(_ call: BusMessage, _ write: (BusMessage) -> Void = { _ in }) {
        guard call.isAnswerExpected, let answer = call.makeAnswer() else { return }
        write(answer)
        send(answer)
    }

    private func refuse(_ call: BusMessage, _ name: String, _ text: String) {
        guard call.isAnswerExpected else { return }
        let error = call.makeError(
            "org.freedesktop.DBus.Error." + name, text)
        if let error { send(error) }
    }

    private func begin(_ call: BusMessage, _ name: String) {
        let kinds: [String: PortalRequest.Kind] = [
            "OpenFile": .openFile, "SaveFile": .saveFile, "SaveFiles": .saveFiles,
        ]
        guard let kind = kinds[name], let fault = portal.begin(kind, call) else { return }
        refuse(call, "InvalidArgs", fault)
    }

    /// There are no properties.
    private func tellProperties(_ call: BusMessage, _ name: String) {
        if name == "GetAll" {
            answer(call) { $0.container("a", "{sv}") {} }
        } else {
            refuse(call, "UnknownProperty", "there are no properties here")
        }
    }

    private func find(_ terms: [String], _ call: BusMessage, _ done: @escaping ([ListItem]) -> Void)
    {
        guard let query = DesktopQuery.list(of: terms) else { return done([]) }
        desk.search(query, from: call.sender) { [weak self] items in
            let found = items.filter { !$0.isNew }
            self?.recent.add(found)
            done(found)
        }
    }

    /// What a caller has given, for a message.
    private static func named(_ text: String) -> String {
        DesktopText.shown(String(text.unicodeScalars.prefix(100)))
    }

    private func perform(_ action: String, on key: String) {
        desk.perform(action, on: key) { [log] fault in
            guard let fault else { return }
            log("\(action) of the document '\(Self.named(key))': \(DesktopText.shown(fault))")
        }
    }

    // MARK: GNOME

    private func search(_ call: BusMessage, _ name: String) {
        switch name {
        case "GetInitialResultSet", "GetSubsearchResultSet":
            // The earlier results say nothing that the open list does not know.
            let isRead = name == "GetInitialResultSet" || call.skip("as")
            let terms = isRead ? readTexts(call) : []
            find(terms, call) { [weak self] items in
                self?.answer(call) { $0.append(items.map(\.key)) }
            }
        case "GetResultMetas":
            let keys = readTexts(call)
            desk.documents(keys) { [weak self] documents in
                self?.answer(call, describing: keys, documents)
            }
        case "ActivateResult":
            if let key = call.readText() { perform("documents.open", on: key) }
            answer(call)
        default:
            launch(readTexts(call))
            answer(call)
        }
    }

    private func readTexts(_ call: BusMessage) -> [String] {
        call.readTexts(atMost: Self.mostTexts, bytes: Self.mostBytes) ?? []
    }

    private func answer(
        _ call: BusMessage, describing keys: [String], _ documents: [String: RemoteDocument]
    ) {
        answer(call) { answer in
            answer.container("a", "a{sv}") {
                for key in keys {
                    // A shell that misses one of those that it was given shows none.
                    let card =
                        documents[key].map { DocumentCard($0, home: home) }
                        ?? recent[key].map { DocumentCard($0, home: home) }
                    if let card { answer.append(card, key: key) }
                }
            }
        }
    }

    // MARK: KRunner

    private func run(_ call: BusMessage, _ name: String) {
        switch name {
        case "Match":
            // Nil for a text with scalars that are no characters.
            find([call.readText() ?? ""], call) { [weak self] items in
                guard let self else { return }
                answer(call) { $0.append(matches: items, home: self.home) }
            }
        case "Run":
            let key = call.readText() ?? ""
            let action = call.readText() ?? ""
            switch action {
            case "": perform("documents.open", on: key)
            case RunnerActions.reveal: perform("documents.reveal", on: key)
            default: log("no action '\(Self.named(action))' is offered to KRunner")
            }
            answer(call)
        case "Actions": answer(call) { RunnerActions.append(to: $0) }
        case "Config":
            answer(call) { answer in
                answer.container("a", "{sv}") {
                    answer.entry("MinLetterCount", "i") { answer.append(Int32(2)) }
                }
            }
        case "Teardown":
            desk.rest()
            answer(call)
        // The daemon opens documents, and has no use for the token of this program.
        default: answer(call)
        }
    }
}

// What becomes of the transfer of a list when its rows are others.

import JSONText
import ListRequests
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin

@Suite struct ListTransferTests {
    private let sent: SentRows

    init() throws {
        let fixture = try ListFixture()
        let documents = fixture.documents
        sent = SentRows(
            rev: 3, total: 1, isComplete: true, gen: 2, window: ListWindow(start: 0, count: 5),
            items: ShownRows([ShownRow](), of: documents.table),
            marking: Marking(
                try ListRequest(
                    reading: ParameterReader(JSONView([:])), knowing: documents.attributes),
                for: fixture.session))
    }

    /// What is to be seen of a state.
    private static func name(_ state: ListTransfer) -> String {
        switch state {
        case .mustReset(let reason): "reset " + reason
        case .waiting: "waiting"
        case .resetting(let reset, _): "chunk \(reset.chunk)"
        case .following(let sent): "following \(sent.rev)"
        case .reading: "reading"
        case .compared: "compared"
        case .editing: "editing"
        }
    }

    @Test("a list of another request ends a reset, and what is known of the former list")
    func adoption() {
        #expect(Self.name(ListTransfer.mustReset(reason: "large").afterAdoption) == "reset large")
        #expect(Self.name(ListTransfer.waiting.afterAdoption) == "reset open")
        let resetting = ListTransfer.resetting(.init(reason: "open", chunk: 2, next: 9), sent)
        #expect(Self.name(resetting.afterAdoption) == "reset update")
        #expect(Self.name(ListTransfer.following(sent).afterAdoption) == "following 3")
    }

    @Test("first rows of another list are a reset; of one that is made again, what differs")
    func preview() {
        let resetting = ListTransfer.resetting(.init(reason: "open", chunk: 2, next: 9), sent)
        #expect(Self.name(resetting.afterPreview(isRebuilt: false)) == "reset update")
        #expect(Self.name(resetting.afterPreview(isRebuilt: true)) == "chunk 2")
        let following = ListTransfer.following(sent)
        #expect(Self.name(following.afterPreview(isRebuilt: false)) == "reset update")
        #expect(Self.name(following.afterPreview(isRebuilt: true)) == "following 3")
        for isRebuilt in [false, true] {
            #expect(
                Self.name(ListTransfer.waiting.afterPreview(isRebuilt: isRebuilt)) == "reset open")
        }
    }

    @Test("a client has rows while it follows them, and not while a reset is under way")
    func whatIsSent() {
        #expect(ListTransfer.following(sent).sent?.rev == 3)
        #expect(ListTransfer.resetting(.init(reason: "open"), sent).sent == nil)
        #expect(ListTransfer.waiting.sent == nil)
        var state = ListTransfer.following(sent)
        #expect(state.takeSent()?.rev == 3)
        #expect(state.sent == nil && state.takeSent() == nil && Self.name(state) == "editing")
    }
}

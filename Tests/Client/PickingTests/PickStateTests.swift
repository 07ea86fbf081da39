import Picking
import TerminalCells
import Testing

@Suite("The state of a picker")
struct PickStateTests {
    @Test("What is typed is searched for")
    func typing() {
        let state = PickState(PickOptions(), size: TerminalSize(rows: 24, columns: 80))
        let typed = PickState.reduce(state, .input(.text("ab"), seen: 0))
        #expect(typed.wantedList?.query.search == "ab")
        #expect(typed.wantedList?.number == 1)
    }
}

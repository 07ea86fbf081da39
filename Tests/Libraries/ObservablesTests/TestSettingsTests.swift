import Observables
import Testing

@Suite struct TestSettingsTests {
    #if DEBUG
    @Test("These tests use chunks so small, and limits so low, that they exceed them")
    func areOn() {
        let flag = Variable(true)
        let rows = ArrayVariable(Array(0..<1_000))
        let filtered = rows.filter(
            where: flag.map { flag in { flag || $0 % 3 != 0 } })
        var count = 0
        let connection = filtered.connect { count = $0.modifications.count }
        flag.value = false
        // Other packages get up to 1,000: contrib/tests/libraries.sh.
        #expect((1...8).contains(count))
        connection.disconnect()
    }
    #endif
}

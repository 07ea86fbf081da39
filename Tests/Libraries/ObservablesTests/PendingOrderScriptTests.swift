import Testing

@Suite struct PendingOrderScriptTests {
    @Test("Pipelines over pending orders equal plain functions", arguments: 0..<4)
    func scripts(block: Int) {
        checkScripts(
            of: PendingOrderStep.generator, from: (block * 50)..<(block * 50 + 50), size: 40
        ) { PendingOrderTrial().run($0) }
    }
}

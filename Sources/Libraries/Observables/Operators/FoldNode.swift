// A result that is updated by adding new elements and subtracting removed ones.

/// A value that is computed once from the whole collection and then updated from the changes of a node.
final class FoldNode<Upstream: ChangeEmitting, Result>: ScalarNode<Result> {
    private var input: InputEdge<Upstream>
    private let compute: () -> Result
    private let update: (inout Result, Upstream.Change) -> Void
    private let areEqual = equality(of: Result.self)
    private var value: Result?

    init(
        _ input: Upstream, compute: @escaping () -> Result,
        update: @escaping (inout Result, Upstream.Change) -> Void
    ) {
        self.input = InputEdge(input)
        self.compute = compute
        self.update = update
        super.init(above: [input])
    }

    override func read() -> Result { value ?? compute() }

    override func activate() {
        input.attach(self)
        value = compute()
    }

    override func deactivate() {
        value = nil
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.takeChangeUnlessReordered(), let old = value else { return }
        var new = old
        update(&new, change)
        value = new
        if areEqual?(old, new) == true { return }
        emit(ScalarChange(from: old, to: new))
    }
}

// A result computed from a state that is mutated in place.

/// A value computed from a state that follows the changes of a node.
///
/// Unlike the result of a `FoldNode`, the state is part of no change and never copied: it may be as
/// large as the collection.
final class StateFoldNode<Upstream: ChangeEmitting, State, Result>: ScalarNode<Result> {
    /// Holds the state so that it can be mutated in place.
    private final class Kept {
        var state: State
        var value: Result

        init(_ state: State, _ value: Result) {
            self.state = state
            self.value = value
        }
    }

    private var input: InputEdge<Upstream>
    private let build: () -> State
    private let update: (inout State, Upstream.Change) -> Void
    private let result: (State) -> Result
    private let areEqual = equality(of: Result.self)
    /// Nil while idle.
    private var kept: Kept?

    init(
        _ input: Upstream, build: @escaping () -> State,
        update: @escaping (inout State, Upstream.Change) -> Void,
        result: @escaping (State) -> Result
    ) {
        self.input = InputEdge(input)
        self.build = build
        self.update = update
        self.result = result
        super.init(above: [input])
    }

    override func read() -> Result { kept?.value ?? result(build()) }

    override func activate() {
        input.attach(self)
        let state = build()
        kept = Kept(state, result(state))
    }

    override func deactivate() {
        kept = nil
        input.detach(self)
    }

    override func recompute() {
        guard let change = input.takeChangeUnlessReordered(), let kept else { return }
        update(&kept.state, change)
        let old = kept.value
        let new = result(kept.state)
        kept.value = new
        if areEqual?(old, new) == true { return }
        emit(ScalarChange(from: old, to: new))
    }
}

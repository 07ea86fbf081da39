// What is built for an actor is often built outside of it: an actor's properties are given their first
// values by whoever makes the actor. So what is idle goes to the actor that uses it first, along with all
// that it is computed from. The compiler sees to it that nobody else has it then. What is active stays: the
// scheduler of its owner knows it, and whoever connected to it is called by that owner.

extension Node {
    /// Stops the program if the node belongs to somebody else, and may not change hands.
    @inline(__always)
    final func checkOwner() {
        if !scheduler.isOwnThread { checkOwnerThoroughly() }
    }

    private func checkOwnerThoroughly() {
        if scheduler.isOwnerCurrent { return }
        guard let target = ObservableScheduler.adopting, move(to: target) else {
            ObservableScheduler.stopForeignUse()
        }
    }

    /// Goes to `target` if it is not there, or stops the program.
    final func join(_ target: ObservableScheduler) {
        if scheduler !== target, !move(to: target) { ObservableScheduler.stopForeignInput() }
    }

    /// Goes to `target`, an actor's that is at work, with all that it is computed from. Stays if anything
    /// of that is in use.
    private func move(to target: ObservableScheduler) -> Bool {
        guard ObservableScheduler.adopting === target else { return false }
        var found: [Node] = [self]
        var known: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < found.count {
            let node = found[next]
            guard node.canMove else { return false }
            for input in node.staticInputs
            where input.scheduler !== target && known.insert(ObjectIdentifier(input)).inserted {
                found.append(input)
            }
            next += 1
        }
        for node in found { node.belong(to: target) }
        return true
    }

    /// Carries out one write, now or when its turn comes.
    @inline(__always)
    final func write(_ operation: @escaping () -> Void) {
        checkOwner()
        scheduler.write(operation)
    }
}

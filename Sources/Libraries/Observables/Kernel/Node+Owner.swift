// Observables for an actor are often built outside of it: the code that creates an actor initializes its
// properties. So an idle node, with all its inputs, moves to the actor that uses it first. The compiler
// ensures that no other code uses it then. An active node stays: its owner's scheduler refers to it, and
// that owner calls its observers.

extension Node {
    /// Stops the program if the node belongs to another owner and can't move.
    @inline(__always)
    final func checkOwner() {
        if !scheduler.isOwnThread { checkOwnerThoroughly() }
    }

    private func checkOwnerThoroughly() {
        if scheduler.isOwnerCurrent { return }
        guard let target = ObservableScheduler.ofCurrentActor, move(to: target) else {
            ObservableScheduler.stopForeignUse()
        }
    }

    /// Moves the node to `target` unless it is there already, or stops the program.
    final func join(_ target: ObservableScheduler) {
        if scheduler !== target, !move(to: target) { ObservableScheduler.stopForeignInput() }
    }

    /// Moves the node and all its inputs to `target`, the scheduler of the running actor. Moves nothing
    /// if one of them is in use.
    private func move(to target: ObservableScheduler) -> Bool {
        guard ObservableScheduler.ofCurrentActor === target else { return false }
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
        for node in found { node.setScheduler(to: target) }
        return true
    }

    /// Performs one write, immediately or from the queue.
    @inline(__always)
    final func write(_ operation: @autoclosure () -> () -> Void) {
        checkOwner()
        scheduler.write(operation())
    }
}

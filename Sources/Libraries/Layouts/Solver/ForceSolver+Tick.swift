// The minimizer is FIRE2 (Guénolé et al., Computational Materials Science 175, 109584, 2020): cells have
// a velocity, which is turned towards the force and reset when it points uphill. The step follows from
// the spectrum: the stiffest mode of n cells is about 2 + 1.3·√n times as stiff as one spring (measured
// up to 10,000), and the step is 1 over the root of that. In theory, up to 2 is stable; but 1.7 took two
// to nine times as many ticks as 1 in measurements, since the stiffest modes then turn the others
// uphill.

extension ForceSolver {
    /// Computes the forces and ``meanForce``.
    ///
    /// - Parameter theta: The opening angle of far squares; 0 for the direct sum; `nil` to choose it by
    ///   the count.
    func measure(theta: Float? = nil) {
        if repels {
            if theta == nil { addPushInPassing() } else { addPush(theta: theta) }
        }
        var sum = 0.0
        // The arrays are not reallocated meanwhile.
        let x = unsafe self.x.pointer
        let y = unsafe self.y.pointer
        let forceX = unsafe self.forceX.pointer
        let forceY = unsafe self.forceY.pointer
        for cell in 0..<count {
            // Cells are below the arrays' capacity. Without a push, the contents of the force arrays are
            // unused.
            let fx = unsafe (repels ? forceX[cell] : 0) - x[cell]
            let fy = unsafe (repels ? forceY[cell] : 0) - y[cell]
            unsafe forceX[cell] = fx
            unsafe forceY[cell] = fy
            sum += (fx * fx + fy * fy).squareRoot()
        }
        meanForce = count == 0 ? 0 : sum / Double(count)
    }

    /// Moves the cells by the forces from ``measure(theta:)``.
    func advance() {
        sinceRestart += 1
        let backwards = turn()
        let (speed, force) = accelerate(backwards)
        move(turnedBy: force > 0 ? speed / force : 0)
    }

    /// Chooses the next step, depending on whether the cells move downhill; returns how far they have to
    /// go back.
    private func turn() -> Double {
        var power = 0.0
        // The arrays are not reallocated meanwhile.
        let speedX = unsafe self.speedX.pointer
        let speedY = unsafe self.speedY.pointer
        let forceX = unsafe self.forceX.pointer
        let forceY = unsafe self.forceY.pointer
        for cell in 0..<count {
            // Cells are below the arrays' capacity, here and in the next two.
            unsafe power += forceX[cell] * speedX[cell]
            unsafe power += forceY[cell] * speedY[cell]
        }
        let longest = longestStep
        if power > 0 {
            downhill += 1
            if downhill > 20 {
                step = min(step * 1.1, longest)
                mixing *= 0.99
            }
            return 0
        }
        downhill = 0
        let back = 0.5 * step
        if sinceRestart > 20 { step = max(step * 0.5, longest * 0.05) }
        mixing = 0.25
        return back
    }

    /// Adds the forces to the speeds; returns the lengths of all speeds and of all forces as vectors.
    private func accelerate(_ backwards: Double) -> (speed: Double, force: Double) {
        var speed = 0.0
        var force = 0.0
        let keep = backwards > 0 ? 0.0 : 1.0
        // The arrays are not reallocated meanwhile.
        let x = unsafe self.x.pointer
        let y = unsafe self.y.pointer
        let speedX = unsafe self.speedX.pointer
        let speedY = unsafe self.speedY.pointer
        let forceX = unsafe self.forceX.pointer
        let forceY = unsafe self.forceY.pointer
        for cell in 0..<count {
            let fx = unsafe forceX[cell]
            let fy = unsafe forceY[cell]
            if backwards > 0 {
                unsafe x[cell] -= backwards * speedX[cell]
                unsafe y[cell] -= backwards * speedY[cell]
            }
            let vx = unsafe keep * speedX[cell] + step * fx
            let vy = unsafe keep * speedY[cell] + step * fy
            unsafe speedX[cell] = vx
            unsafe speedY[cell] = vy
            speed += vx * vx + vy * vy
            force += fx * fx + fy * fy
        }
        return (speed.squareRoot(), force.squareRoot())
    }

    /// Turns the velocities towards the forces and moves the cells, none much farther than the neighbour
    /// distance.
    private func move(turnedBy ratio: Double) {
        let keep = 1 - mixing
        let add = mixing * ratio
        let longest = 0.3 * restingSpacing
        let rim = 1.2 * restingRadius
        var sum = 0.0
        var largest = 0.0
        // The arrays are not reallocated meanwhile.
        let x = unsafe self.x.pointer
        let y = unsafe self.y.pointer
        let speedX = unsafe self.speedX.pointer
        let speedY = unsafe self.speedY.pointer
        let forceX = unsafe self.forceX.pointer
        let forceY = unsafe self.forceY.pointer
        for cell in 0..<count {
            var vx = unsafe keep * speedX[cell] + add * forceX[cell]
            var vy = unsafe keep * speedY[cell] + add * forceY[cell]
            let px = unsafe x[cell]
            let py = unsafe y[cell]
            var distance = (vx * vx + vy * vy).squareRoot() * step
            if distance > longest {
                let outside = (px * px + py * py).squareRoot() - rim
                let allowed = outside > 0 ? longest + 0.2 * outside : longest
                if distance > allowed {
                    vx *= allowed / distance
                    vy *= allowed / distance
                    distance = allowed
                }
            }
            unsafe speedX[cell] = vx
            unsafe speedY[cell] = vy
            unsafe x[cell] = px + step * vx
            unsafe y[cell] = py + step * vy
            sum += distance
            largest = max(largest, distance)
        }
        movement = sum
        largestMove = largest
    }
}

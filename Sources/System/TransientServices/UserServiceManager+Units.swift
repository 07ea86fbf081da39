// Units of earlier runs.

import MessageBus

extension UserServiceManager {
    /// The most units that are looked at; further ones are found when these are gone.
    package static let mostUnits = 256

    /// The names of the units that match `pattern` (as of glob(7)), are loaded, and are bound to `unit`: those of its
    /// earlier runs, too.
    package func units(
        matching pattern: String, boundTo unit: String, done: @escaping Done<[String]>
    ) {
        let subject = CallSubject(operation: "list the services bound to", unit: unit)
        guard let done = admit(subject, done) else { return }
        call(subject, BusMethod(name: "ListUnitsByPatterns")) { request in
            let inAnyState: [String] = []
            request.append(inAnyState)
            request.append([pattern])
        } done: { [weak self] answer in
            switch answer {
            case .failure(let error): done(.failure(error))
            case .success(let message):
                guard let units = message.readUnits(atMost: Self.mostUnits) else {
                    let error = ServiceCallError(
                        .invalid, subject, message: "the manager's answer cannot be read")
                    return done(.failure(error))
                }
                self?.keep(units[...], boundTo: unit, [], subject, done)
            }
        }
    }

    /// Asks for one unit after the other, and adds those that are bound to `unit` to `found`.
    private func keep(
        _ units: ArraySlice<(name: String, path: String)>, boundTo unit: String, _ found: [String],
        _ subject: CallSubject, _ done: @escaping Done<[String]>
    ) {
        guard let next = units.first else { return done(.success(found)) }
        readProperties(subject, next.path, ["BindsTo"]) { [weak self] values in
            // One that can't be asked for has gone meanwhile.
            let isBound = (try? values.get())?["BindsTo"]?.texts?.contains(unit) ?? false
            self?.keep(
                units.dropFirst(), boundTo: unit, isBound ? found + [next.name] : found, subject,
                done)
        }
    }
}

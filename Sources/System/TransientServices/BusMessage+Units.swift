// What only the service manager is told, and tells.

import MessageBus

extension BusMessage {
    /// Writes an array of properties with their values.
    func append(_ properties: [UnitProperty]) {
        container("a", "(sv)") {
            for property in properties {
                container("r", "sv") {
                    append(property.name)
                    append(property.value)
                }
            }
        }
    }

    private func append(_ value: UnitProperty.Value) {
        switch value {
        case .flag(let flag): container("v", "b") { append(flag) }
        case .integer(let number): container("v", "i") { append(number) }
        case .count(let number): container("v", "u") { append(number) }
        case .size(let number): container("v", "t") { append(number) }
        case .text(let text): container("v", "s") { append(text) }
        case .texts(let texts): container("v", "as") { append(texts) }
        case .descriptor(let number): container("v", "h") { append(descriptor: number) }
        case .allowed(let texts):
            container("v", "(bas)") {
                container("r", "bas") {
                    append(true)
                    append(texts)
                }
            }
        case .command(let arguments):
            container("v", "a(sasb)") {
                container("a", "(sasb)") {
                    container("r", "sasb") {
                        append(arguments.first ?? "")
                        append(arguments)
                        append(false)
                    }
                }
            }
        }
    }

    /// Reads a list of units, as the manager's methods of that name return it: the name and the object of each, up to
    /// `most`. `nil` if there is no such list.
    func readUnits(atMost most: Int) -> [(name: String, path: String)]? {
        let types = "ssssssouso"
        guard enter("a", "(\(types))") else { return nil }
        var units: [(name: String, path: String)] = []
        while units.count < most, enter("r", types) {
            guard let name = readText(), skip("sssss"), let path = readText("o"), skip("uso"),
                leave()
            else { return nil }
            units.append((name, path))
        }
        return units
    }
}

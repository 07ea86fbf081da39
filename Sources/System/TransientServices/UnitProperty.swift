// A property of a unit to be started.

/// A property with its value, in the type that the manager expects for its name.
struct UnitProperty: Hashable, Sendable {
    /// A value, by its type on D-Bus.
    enum Value: Hashable, Sendable {
        /// `b`
        case flag(Bool)
        /// `i`
        case integer(Int32)
        /// `u`
        case count(UInt32)
        /// `t`
        case size(UInt64)
        /// `s`
        case text(String)
        /// `as`
        case texts([String])
        /// `(bas)`, the allowed ones of a kind.
        case allowed([String])
        /// `a(sasb)`, one program with its arguments, in which `$$` stands for `$`.
        case command([String])
        /// `h`, borrowed until it is written.
        case descriptor(Int32)
    }

    let name: String
    let value: Value

    init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// The strings in it.
    var strings: [String] {
        switch value {
        case .text(let text): [text]
        case .texts(let texts), .allowed(let texts), .command(let texts): texts
        default: []
        }
    }
}

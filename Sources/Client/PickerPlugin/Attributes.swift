/// What the reader of a group found out about a file: values by name, ``none``, or ``retry``.
///
///     return ["image.width": size.width, "image.taken": moment]
///
/// A value that is nil is left out, and so is one that the daemon did not ask for.
public struct Attributes: ExpressibleByDictionaryLiteral {
    enum Outcome {
        case values([(name: String, value: AttributeValue)])
        case retry
    }

    var outcome: Outcome

    /// The file has none of the attributes of the group.
    public static var none: Attributes { Attributes() }

    /// The file can't be read now, and should be asked for again.
    public static var retry: Attributes {
        var attributes = Attributes()
        attributes.outcome = .retry
        return attributes
    }

    /// No values yet.
    public init() { outcome = .values([]) }

    /// Values by name; nil stands for a value that is not there.
    public init(dictionaryLiteral elements: (String, (any AttributeConvertible)?)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }

    /// The value of an attribute; nil removes it.
    ///
    /// - Complexity: O(values)
    public subscript(name: String) -> (any AttributeConvertible)? {
        get {
            guard case .values(let values) = outcome else { return nil }
            return values.first { $0.name == name }?.value
        }
        set {
            var values: [(name: String, value: AttributeValue)] = []
            if case .values(let former) = outcome { values = former }
            values.removeAll { $0.name == name }
            if let newValue { values.append((name, newValue.attributeValue)) }
            outcome = .values(values)
        }
    }
}

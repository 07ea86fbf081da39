// Literals of observables that never change. Variables have no literals: with them, Swift would parse
// `Variable(0)` as the literal 0 of type `Variable`, and then fail to infer its generic parameter.

extension Observable: ExpressibleByBooleanLiteral where Value: ExpressibleByBooleanLiteral {
    /// An observable that always has this value.
    public init(booleanLiteral value: Value.BooleanLiteralType) {
        self = .constant(Value(booleanLiteral: value))
    }
}

extension Observable: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// An observable that always has this value.
    public init(integerLiteral value: Value.IntegerLiteralType) {
        self = .constant(Value(integerLiteral: value))
    }
}

extension Observable: ExpressibleByFloatLiteral where Value: ExpressibleByFloatLiteral {
    /// An observable that always has this value.
    public init(floatLiteral value: Value.FloatLiteralType) {
        self = .constant(Value(floatLiteral: value))
    }
}

extension Observable: ExpressibleByUnicodeScalarLiteral
where Value: ExpressibleByUnicodeScalarLiteral {
    /// An observable that always has this value.
    public init(unicodeScalarLiteral value: Value.UnicodeScalarLiteralType) {
        self = .constant(Value(unicodeScalarLiteral: value))
    }
}

extension Observable: ExpressibleByExtendedGraphemeClusterLiteral
where Value: ExpressibleByExtendedGraphemeClusterLiteral {
    /// An observable that always has this value.
    public init(extendedGraphemeClusterLiteral value: Value.ExtendedGraphemeClusterLiteralType) {
        self = .constant(Value(extendedGraphemeClusterLiteral: value))
    }
}

extension Observable: ExpressibleByStringLiteral where Value: ExpressibleByStringLiteral {
    /// An observable that always has this value.
    public init(stringLiteral value: Value.StringLiteralType) {
        self = .constant(Value(stringLiteral: value))
    }
}

extension ObservableArray: ExpressibleByArrayLiteral {
    /// An array that never changes.
    public init(arrayLiteral elements: Element...) {
        self = .constant(elements)
    }
}

extension ObservableSet: ExpressibleByArrayLiteral {
    /// A set that never changes.
    public init(arrayLiteral elements: Element...) {
        self = .constant(Set(elements))
    }
}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
    /// A dictionary that never changes, with the given entries, whose keys must differ.
    public init(dictionaryLiteral entries: (Key, Value)...) {
        self = .constant(Dictionary(uniqueKeysWithValues: entries))
    }
}

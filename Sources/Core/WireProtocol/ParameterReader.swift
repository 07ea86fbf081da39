package import JSONText

// Typed access to the members of an object from the wire. Each member is decoded on access; other members are
// ignored. An error has the path of the member ("window.count"), the invalid value, and the valid ones.
//
// A null member counts as absent, except for `has`.

/// Reads the parameters of a request.
package struct ParameterReader: Sendable {
    private let object: JSONObjectView
    private let place: Place
    #if DEBUG
    /// The names that may be read: those of the method's definition. Nil for all.
    package var declared: Set<String>?
    #endif

    /// No parameters.
    package init() {
        object = JSONObjectView()
        place = .top
    }

    /// - Throws: invalidParams if `view` is no object, or a key occurs twice.
    package init(_ view: JSONView) throws(ProtocolError) {
        try self.init(view, .top)
    }

    /// - Throws: invalidParams if a key occurs twice.
    package init(_ members: JSONObjectView) throws(ProtocolError) {
        place = .top
        object = members
        guard members.mayHoldDoubleKeys else { return }
        do {
            try members.refuseDoubleKeys()
        } catch {
            throw .invalidParams(at: "params", error.message)
        }
    }

    package init(_ value: JSONValue) throws(ProtocolError) {
        try self.init(JSONView(value))
    }

    /// An element of the array `name` of the parameters.
    /// - Throws: invalidParams if it is no object, or a key occurs twice.
    package init(_ view: JSONView, elementOf name: String, _ index: Int) throws(ProtocolError) {
        try self.init(view, .element(of: name, index))
    }

    private init(_ view: JSONView, _ place: Place) throws(ProtocolError) {
        self.place = place
        guard view.kind == .object else {
            let path = place.isTop ? "params" : place.path
            throw .invalidParams(
                at: path, "'\(path)' must be an object, not \(Self.shown(view))")
        }
        do {
            object = try view.object()
        } catch {
            throw .invalidParams(at: place.isTop ? "params" : place.path, error.message)
        }
    }

    /// The object's path in the parameters; formatted only for errors.
    private enum Place {
        case top
        case member(String)
        case element(of: String, Int)

        var isTop: Bool {
            if case .top = self { true } else { false }
        }

        var path: String {
            switch self {
            case .top: ""
            case .member(let path): path
            case .element(let path, let index): "\(path)[\(index)]"
            }
        }
    }

    package var count: Int { object.count }
    package var isEmpty: Bool { object.isEmpty }
    package var keys: [String] { (0..<object.count).map { object.key(at: $0) } }

    /// The member's path from the top: "window.count".
    package func path(_ name: String) -> String {
        place.isTop ? name : "\(place.path).\(name)"
    }

    /// Whether the member is present, even as null.
    package func has(_ name: String) -> Bool { member(name) != nil }

    private func member(_ name: String) -> JSONView? {
        #if DEBUG
        precondition(
            declared?.contains(name) ?? true, "the definition of the method has no '\(name)'")
        #endif
        return object[name]
    }

    /// The undecoded member; nil if absent or null.
    package func view(_ name: String) -> JSONView? {
        guard let view = member(name), !view.isNull else { return nil }
        return view
    }

    /// The error for an invalid value: "'a.b' must be X, not Y".
    package func invalid(_ name: String, mustBe right: String) -> ProtocolError {
        let path = path(name)
        guard let view = object[name] else {
            return .invalidParams(at: path, "'\(path)' is missing; it must be \(right)")
        }
        return .invalidParams(
            at: path, "'\(path)' must be \(right), not \(Self.shown(view))")
    }

    /// The beginning of a value, for messages.
    package static func shown(_ view: JSONView) -> String {
        let text = String(decoding: view.bytes.prefix(60), as: UTF8.self)
        return view.bytes.count > 60 ? "\(text)…" : text
    }

    // MARK: Scalars

    func required<Value>(
        _ name: String, _ value: Value?, _ right: @autoclosure () -> String
    ) throws(ProtocolError) -> Value {
        guard let value else { throw invalid(name, mustBe: right()) }
        return value
    }

    package func string(_ name: String) throws(ProtocolError) -> String {
        try required(name, optionalString(name), "a string")
    }

    package func optionalString(_ name: String) throws(ProtocolError) -> String? {
        guard let view = view(name) else { return nil }
        guard let text = view.stringValue else { throw invalid(name, mustBe: "a string") }
        return text
    }

    /// A string that must be one of `choices`.
    package func optionalChoice(
        _ name: String, among choices: [String]
    ) throws(ProtocolError) -> String? {
        guard let view = view(name) else { return nil }
        guard let text = view.stringValue, choices.contains(text) else {
            let list = choices.map { "\"\($0)\"" }.joined(separator: ", ")
            throw invalid(name, mustBe: choices.count == 1 ? list : "one of \(list)")
        }
        return text
    }

    /// A whole number, including 3.0 and 1e3.
    package func int(
        _ name: String, in range: ClosedRange<Int> = Int.min...Int.max
    ) throws(ProtocolError) -> Int {
        try required(name, optionalInt(name, in: range), Self.described(range))
    }

    package func optionalInt(
        _ name: String, in range: ClosedRange<Int> = Int.min...Int.max
    ) throws(ProtocolError) -> Int? {
        guard let view = view(name) else { return nil }
        guard let value = view.integerValue, range.contains(Int(value)) else {
            throw invalid(name, mustBe: Self.described(range))
        }
        return Int(value)
    }

    private static func described(_ range: ClosedRange<Int>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (.min, .max): "an integer"
        case (let low, .max): "an integer, \(low) or more"
        case (.min, let high): "an integer, \(high) or less"
        case (let low, let high): "an integer from \(low) to \(high)"
        }
    }

    package func double(_ name: String) throws(ProtocolError) -> Double {
        try required(name, optionalDouble(name), "a number")
    }

    package func optionalDouble(_ name: String) throws(ProtocolError) -> Double? {
        guard let view = view(name) else { return nil }
        guard let value = view.doubleValue else { throw invalid(name, mustBe: "a number") }
        return value
    }

    package func bool(_ name: String) throws(ProtocolError) -> Bool {
        try required(name, optionalBool(name), "true or false")
    }

    package func optionalBool(_ name: String) throws(ProtocolError) -> Bool? {
        guard let view = view(name) else { return nil }
        guard let value = view.boolValue else { throw invalid(name, mustBe: "true or false") }
        return value
    }

    /// A string or an integer, such as the `sub` of a subscription.
    package func requestID(_ name: String) throws(ProtocolError) -> RequestID {
        try required(name, optionalRequestID(name), "a string or an integer")
    }

    package func optionalRequestID(_ name: String) throws(ProtocolError) -> RequestID? {
        guard let view = view(name) else { return nil }
        guard let id = RequestID(view) else {
            throw invalid(name, mustBe: "a string or an integer")
        }
        if case .string(let text) = id, text.utf8.count > RequestID.longestText {
            throw invalid(name, mustBe: "at most \(RequestID.longestText) bytes long, as ids are")
        }
        return id
    }

    /// Bytes in Base64.
    package func optionalBytes(_ name: String) throws(ProtocolError) -> [UInt8]? {
        guard let view = view(name) else { return nil }
        guard let text = view.stringValue, let bytes = Base64.decode(text) else {
            throw invalid(name, mustBe: "a string in Base64")
        }
        return bytes
    }

    // MARK: Compounds

    /// The decoded member, which may be null; nil only if it is absent.
    /// - Throws: invalidParams when an object in it has a key twice.
    package func optionalValue(_ name: String) throws(ProtocolError) -> JSONValue? {
        guard let view = member(name) else { return nil }
        do {
            return try view.value()
        } catch {
            let path = path(name)
            throw .invalidParams(at: path, "'\(path)': \(error.message)")
        }
    }

    /// The member's text, to be passed on unchanged, which may be null; nil only if it is absent.
    package func optionalFragment(_ name: String) -> JSONFragment? {
        member(name)?.fragment
    }

    /// The member's text, to be passed on unchanged, which may be null; nil only if it is absent. Checked for
    /// repeated keys on behalf of its recipient.
    /// - Throws: invalidParams if an object in it has a key twice.
    package func optionalText(
        refusingDoubleKeysIn name: String
    ) throws(ProtocolError) -> JSONView? {
        guard let view = member(name) else { return nil }
        do {
            if object.mayHoldDoubleKeys { try view.refuseDoubleKeys() }
        } catch {
            let path = path(name)
            throw .invalidParams(at: path, "in '\(path)', \(error.message)")
        }
        return view
    }

    package func object(_ name: String) throws(ProtocolError) -> ParameterReader {
        try required(name, optionalObject(name), "an object")
    }

    package func optionalObject(_ name: String) throws(ProtocolError) -> ParameterReader? {
        guard let view = view(name) else { return nil }
        return try ParameterReader(view, .member(path(name)))
    }

    /// The undecoded elements of an array. Those behind the first `limit` are not read.
    /// - Throws: if there are more than `limit`, the given error, by default invalidParams.
    package func optionalElements(
        _ name: String, limit: Int = .max, tooMany: @autoclosure () -> ProtocolError? = nil
    ) throws(ProtocolError) -> [JSONView]? {
        guard let view = view(name) else { return nil }
        guard view.kind == .array else { throw invalid(name, mustBe: "an array") }
        do {
            return try view.elements(atMost: limit)
        } catch {
            throw tooMany()
                ?? .invalidParams(at: path(name), "'\(path(name))' has \(error.message)")
        }
    }

    package func elements(
        _ name: String, limit: Int = .max, tooMany: @autoclosure () -> ProtocolError? = nil
    ) throws(ProtocolError) -> [JSONView] {
        try required(
            name, optionalElements(name, limit: limit, tooMany: tooMany()), "an array")
    }

    /// An array of objects. Those behind the first `limit` are not read.
    /// - Throws: if there are more than `limit`, the given error, by default invalidParams.
    package func objects(
        _ name: String, limit: Int = .max, tooMany: @autoclosure () -> ProtocolError? = nil
    ) throws(ProtocolError) -> [ParameterReader] {
        let whole = path(name)
        let elements = try elements(name, limit: limit, tooMany: tooMany())
        var readers: [ParameterReader] = []
        for (index, element) in elements.enumerated() {
            readers.append(try ParameterReader(element, .element(of: whole, index)))
        }
        return readers
    }

    /// An array of strings.
    package func optionalStrings(
        _ name: String, limit: Int = .max
    ) throws(ProtocolError) -> [String]? {
        try optionalList(name, limit, "a string") { $0.stringValue }
    }

    package func strings(_ name: String, limit: Int = .max) throws(ProtocolError) -> [String] {
        try required(name, optionalStrings(name, limit: limit), "an array of strings")
    }

    /// An array of exactly `count` numbers.
    package func doubles(_ name: String, count: Int) throws(ProtocolError) -> [Double] {
        let values = try optionalList(name, .max, "a number") { $0.doubleValue }
        guard let values, values.count == count else {
            throw invalid(name, mustBe: "an array of \(count) numbers")
        }
        return values
    }

    package func optionalInts(
        _ name: String, limit: Int = .max
    ) throws(ProtocolError) -> [Int]? {
        try optionalList(name, limit, "an integer") { $0.integerValue.map { Int($0) } }
    }

    private func optionalList<Value>(
        _ name: String, _ limit: Int, _ right: String, _ read: (JSONView) -> Value?
    ) throws(ProtocolError) -> [Value]? {
        guard let elements = try optionalElements(name, limit: limit) else { return nil }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard let value = read(element) else {
                let path = "\(path(name))[\(index)]"
                throw .invalidParams(
                    at: path, "'\(path)' must be \(right), not \(Self.shown(element))")
            }
            values.append(value)
        }
        return values
    }
}

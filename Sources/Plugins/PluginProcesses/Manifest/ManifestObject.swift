internal import JSONText
internal import WireProtocol

/// An object in the text of a manifest. A null member counts as absent; unknown ones are ignored.
struct ManifestObject {
    private let whole: ManifestValue
    private let members: JSONObjectView
    #if DEBUG
    /// Those of its schema: no other may be read, so that the published schema has all.
    private let declared: Set<String>
    #endif

    /// - Throws: if `value` is no object.
    init(_ value: ManifestValue, of declared: [Schema.Member]) throws(ManifestFault) {
        guard value.view.kind == .object else { throw value.mustBe("an object") }
        whole = value
        do throws(JSONError) {
            members = try value.view.object()
        } catch {
            throw value.fault(error.message)
        }
        #if DEBUG
        self.declared = Set(declared.map(\.name))
        #endif
    }

    /// The member; nil if it is absent or null.
    subscript(name: String) -> ManifestValue? {
        #if DEBUG
        precondition(declared.contains(name), "the schema of the manifest has no '\(name)'")
        #endif
        guard let view = members[name], !view.isNull else { return nil }
        return whole.member(name, view)
    }

    /// - Throws: if it is absent, in the line where the object begins.
    func required(_ name: String, _ right: String) throws(ManifestFault) -> ManifestValue {
        if let value = self[name] { return value }
        let path = whole.path.isEmpty ? name : "\(whole.path).\(name)"
        throw whole.fault("'\(path)' is missing; it must be \(right)")
    }

    func required<Value>(
        _ name: String, _ rule: ManifestRule<Value>
    ) throws(ManifestFault) -> Value {
        try required(name, rule.right).read(by: rule)
    }

    func optional<Value>(
        _ name: String, _ rule: ManifestRule<Value>
    ) throws(ManifestFault) -> Value? {
        try self[name]?.read(by: rule)
    }

    /// A member that is an object; if it is absent, so are all in it.
    func object(
        _ name: String, of members: [Schema.Member]
    ) throws(ManifestFault) -> ManifestObject? {
        guard let value = self[name] else { return nil }
        return try ManifestObject(value, of: members)
    }

    /// An array of values of one rule; empty if it is absent.
    func list<Value>(
        _ name: String, atMost most: Int, _ rule: ManifestRule<Value>
    ) throws(ManifestFault) -> [Value] {
        guard let value = self[name] else { return [] }
        var values: [Value] = []
        for element in try value.elements(0...most, "an array of \(most) elements at most") {
            values.append(try element.read(by: rule))
        }
        return values
    }

    /// An array of objects, each with a name of its own in the member `key`; empty if it is absent.
    func objects<Value>(
        _ name: String, atMost most: Int, of members: [Schema.Member], named key: String,
        _ rule: ManifestRule<String>,
        _ read: (ManifestObject, _ name: String) throws(ManifestFault) -> Value
    ) throws(ManifestFault) -> [Value] {
        guard let value = self[name] else { return [] }
        var values: [Value] = []
        var names: [String: String] = [:]
        for element in try value.elements(0...most, "an array of \(most) objects at most") {
            let object = try ManifestObject(element, of: members)
            let place = try object.required(key, rule.right)
            let name = try place.read(by: rule)
            try place.refuse(name, among: &names)
            values.append(try read(object, name))
        }
        return values
    }

    /// An array of strings, all different; empty if it is absent.
    func distinct(
        _ name: String, atMost most: Int, _ rule: ManifestRule<String>
    ) throws(ManifestFault) -> [String] {
        guard let value = self[name] else { return [] }
        var values: [String] = []
        var names: [String: String] = [:]
        for element in try value.elements(0...most, "an array of \(most) elements at most") {
            let text = try element.read(by: rule)
            try element.refuse(text, among: &names)
            values.append(text)
        }
        return values
    }
}

extension ManifestValue {
    func read<Value>(by rule: ManifestRule<Value>) throws(ManifestFault) -> Value {
        guard let value = rule.read(view) else { throw mustBe(rule.right) }
        return value
    }

    /// - Throws: if the name is given in another place, which `names` has.
    fileprivate func refuse(
        _ name: String, among names: inout [String: String]
    ) throws(ManifestFault) {
        if let other = names[name] {
            throw fault("'\(path)' must be given once, but '\(other)' is \"\(name)\", too")
        }
        names[name] = path
    }
}

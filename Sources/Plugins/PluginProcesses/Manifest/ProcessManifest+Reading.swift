// Reads the manifest, member by member. All that a member may be is in `ManifestSchema`, too.

internal import JSONText
internal import WireProtocol

extension ProcessManifest {
    /// The most bytes of a `plugin.json`.
    package static let mostBytes = ManifestText.mostBytes
    package static let mostArguments = 64
    package static let mostRequiredFiles = 64
    package static let mostMethods = 64
    package static let mostTopics = 64
    package static let mostAttributes = 64
    package static let mostSources = 16
    package static let mostActions = 64
    package static let mostWrittenPaths = 16
    /// The most bytes of texts for people.
    package static let longestTitle = 128
    package static let longestSummary = 256
    package static let longestVersion = 64
    static let apiRange = 1...Int(Int32.max)

    /// Reads the text of a `plugin.json`. The daemon's own words are `reserved`: they are no ids of plugins.
    /// - Throws: the first fault. One that comes after `api` says what that is.
    /// - Complexity: O(bytes) nearly; some milliseconds for 64 KiB.
    package init(
        reading bytes: [UInt8], reserved: Set<String> = []
    ) throws(ManifestFault) {
        let top = try ManifestObject(ManifestText.value(bytes), of: ManifestSchema.top)
        let api = try Self.api(top)
        do throws(ManifestFault) {
            try self.init(top, api: api, reserved)
        } catch {
            var fault = error
            fault.api = api
            throw fault
        }
    }

    private init(
        _ top: ManifestObject, api: ClosedRange<Int>, _ reserved: Set<String>
    ) throws(ManifestFault) {
        self.api = api
        let id = try Self.id(top, reserved)
        self.id = id
        name = try top.required("name", .text(atMost: Self.longestTitle))
        version = try top.required("version", .text(atMost: Self.longestVersion))
        exec = try Self.exec(top)
        let requires = try top.object("requires", of: ManifestSchema.requires)
        requiredFiles =
            try requires?.list(
                "files", atMost: Self.mostRequiredFiles,
                .argument("an absolute path", where: ManifestWords.isAbsolutePath)) ?? []
        methods = try Self.methods(top, id)
        topics = try top.distinct(
            "topics", atMost: Self.mostTopics,
            .form("\"\(id).\" and words of a-z, 0-9 and '-' with dots between") {
                ManifestWords.isTopic($0, of: id)
            })
        attributes = try Self.attributes(top)
        sources = try top.objects(
            "sources", atMost: Self.mostSources, of: ManifestSchema.source, named: "name", .word
        ) { (source, name) throws(ManifestFault) in
            Source(name: name, title: try source.required("title", Self.title))
        }
        actions = try Self.actions(top)
        needs = try Self.needs(top)
        limits = try Self.limits(top)
        keep = try top.optional("keep", .choice) ?? .demand
        config = try top.schema("config")
    }

    private static var title: ManifestRule<String> { .text(atMost: longestTitle) }

    private static func api(_ top: ManifestObject) throws(ManifestFault) -> ClosedRange<Int> {
        let value = try top.required("api", #"an object such as {"min":1,"max":1}"#)
        let object = try ManifestObject(value, of: ManifestSchema.api)
        let least = try object.required("min", .integer(in: apiRange))
        let greatest = try object.required("max", .integer(in: least...apiRange.upperBound))
        return least...greatest
    }

    private static func id(
        _ top: ManifestObject, _ reserved: Set<String>
    ) throws(ManifestFault) -> String {
        let id = try top.required("id", .word)
        if reserved.contains(id) {
            throw try top.required("id", "")
                .fault("'id' must be none of the daemon's own words, as \"\(id)\" is")
        }
        return id
    }

    /// What an identifier must be, if this is none; `reserved` are the daemon's own words.
    package static func problem(withID id: String, reserved: Set<String>) -> String? {
        if !ManifestWords.isWord(id) { return ManifestWords.wordRule }
        return reserved.contains(id) ? "none of the daemon's own words" : nil
    }

    private static func exec(_ top: ManifestObject) throws(ManifestFault) -> [String] {
        let right = "an array of 1 to \(mostArguments) strings: the program and its arguments"
        let elements = try top.required("exec", right).elements(1...mostArguments, right)
        var exec: [String] = []
        for (index, element) in elements.enumerated() {
            let rule: ManifestRule<String> =
                index > 0
                ? .argument("a string") { _ in true }
                : .argument("a path in the plugin's folder, such as \"./x\", or an absolute one") {
                    ManifestWords.isPathInFolder($0) || ManifestWords.isAbsolutePath($0)
                }
            exec.append(try element.read(by: rule))
        }
        return exec
    }

    private static func methods(
        _ top: ManifestObject, _ id: String
    ) throws(ManifestFault) -> [Method] {
        let name = ManifestRule<String>.form(
            "\"\(id).\" and words of letters and digits with dots between, that begin small"
        ) { ManifestWords.isMethod($0, of: id) }
        return try top.objects(
            "methods", atMost: mostMethods, of: ManifestSchema.method, named: "name", name
        ) { (method, name) throws(ManifestFault) in
            Method(
                name: name,
                summary: try method.optional("summary", .text(atMost: longestSummary)),
                params: try method.schema("params") ?? .anything,
                result: try method.schema("result") ?? .anything)
        }
    }

    private static func attributes(_ top: ManifestObject) throws(ManifestFault) -> [Attribute] {
        let name = ManifestRule<String>.form(
            "two or more words of a-z, 0-9 and '-' with dots between, such as \"image.width\"; "
                + "a word alone is a field of the item itself", ManifestWords.isDottedName)
        return try top.objects(
            "attributes", atMost: mostAttributes, of: ManifestSchema.attribute, named: "name", name
        ) { (attribute, name) throws(ManifestFault) in
            Attribute(
                name: name, type: try attribute.required("type", .choice),
                documents: try attribute["for"]?.condition(over: ManifestCondition.ofFiles),
                group: try attribute.optional("group", .word) ?? Attribute.usualGroup)
        }
    }

    private static func actions(_ top: ManifestObject) throws(ManifestFault) -> [Action] {
        try top.objects(
            "actions", atMost: mostActions, of: ManifestSchema.action, named: "id", .word
        ) { (action, id) throws(ManifestFault) in
            Action(
                id: id, title: try action.required("title", title),
                items: try action["when"]?.condition(over: ManifestCondition.ofItems),
                takesMany: try action.optional("many", .flag) ?? false,
                writes: try action.optional("writes", .flag) ?? false)
        }
    }

    private static func needs(_ top: ManifestObject) throws(ManifestFault) -> Needs {
        let needs = try top.object("needs", of: ManifestSchema.needs)
        return Needs(
            network: try needs?.optional("network", .flag) ?? false,
            write: try needs?.distinct(
                "write", atMost: mostWrittenPaths,
                .argument("\"roots\", a path such as \"cache/x\", or an absolute one") {
                    $0 == "roots" || ManifestWords.isPathInCache($0)
                        || ManifestWords.isAbsolutePath($0)
                }) ?? [],
            read: try needs?.optional("read", .choice) ?? .roots,
            jit: try needs?.optional("jit", .flag) ?? false)
    }

    private static func limits(_ top: ManifestObject) throws(ManifestFault) -> Limits {
        let limits = try top.object("limits", of: ManifestSchema.limits)
        func limit(
            _ name: String, _ range: ClosedRange<Int>, _ usual: Int
        ) throws(ManifestFault) -> Int {
            try limits?.optional(name, .integer(in: range)) ?? usual
        }
        return Limits(
            memoryMiB: try limit("memoryMiB", Limits.memoryRange, Limits.usual.memoryMiB),
            tasks: try limit("tasks", Limits.tasksRange, Limits.usual.tasks),
            callMs: try limit("callMs", Limits.callRange, Limits.usual.callMs),
            parallel: try limit("parallel", Limits.parallelRange, Limits.usual.parallel))
    }
}

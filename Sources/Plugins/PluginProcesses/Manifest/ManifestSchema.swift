internal import JSONText
package import WireProtocol

// The members of each object, which the reader reads; a debug build stops where it reads another.

/// The JSON Schema of `plugin.json`. Unknown members are allowed. It is the form only: that a name is given once, or
/// begins with the plugin's id, is not in it.
package enum ManifestSchema {
    package static let schema = Schema.openObject(top).described(
        "A plugin's plugin.json: \(ProcessManifest.mostBytes) bytes of JSON at most")
    package static let named = NamedSchema("pluginManifest", schema)

    private static let word = Schema.string(
        to: ManifestWords.longestWord, pattern: "^[a-z][a-z0-9-]{0,31}$")
    private static let dotted = Schema.string(
        to: ManifestWords.longestName,
        pattern: "^[a-z][a-z0-9-]{0,31}([.][a-z][a-z0-9-]{0,31})+$")
    private static let title = Schema.string(from: 1, to: ProcessManifest.longestTitle)
    private static let absolutePath = Schema.string(
        to: ManifestWords.longestArgument, pattern: "^/")

    private static func integer(_ range: ClosedRange<Int>) -> Schema {
        .integer(from: range.lowerBound, to: range.upperBound)
    }

    private static func choice<Word: CaseIterable & RawRepresentable<String>>(
        of _: Word.Type
    ) -> Schema {
        .choice(among: Word.allCases.map(\.rawValue))
    }

    static let top: [Schema.Member] = [
        .required("id", word, "The name of its folder, and none of the daemon's own words"),
        .required("name", title, "For people"),
        .required("version", .string(from: 1, to: ProcessManifest.longestVersion)),
        .required("api", .openObject(api), "The versions of the interface that it speaks"),
        .required("exec", exec, "The program, a path in its folder or an absolute one; arguments"),
        .optional("requires", .openObject(requires)),
        .optional("methods", list(method, ProcessManifest.mostMethods)),
        .optional(
            "topics", .array(of: dotted, to: ProcessManifest.mostTopics),
            "Of its events; each begins with the id"),
        .optional("attributes", list(attribute, ProcessManifest.mostAttributes)),
        .optional("sources", list(source, ProcessManifest.mostSources), "Collections of its own"),
        .optional("actions", list(action, ProcessManifest.mostActions)),
        .optional("needs", .openObject(needs), "What its sandbox has to allow"),
        .optional("limits", .openObject(limits)),
        .optional(
            "keep", choice(of: ProcessManifest.Keep.self),
            "When it runs: from when it is needed, or always"),
        .optional("config", checkedSchema("Of its settings")),
    ]

    private static func list(_ members: [Schema.Member], _ most: Int) -> Schema {
        .array(of: .openObject(members), to: most)
    }

    private static func checkedSchema(_ about: String) -> Schema {
        .openObject([]).described(
            "\(about): a JSON Schema of the keywords "
                + SchemaKeyword.allCases.map(\.rawValue).joined(separator: ", "))
    }

    private static let exec = Schema.array(
        of: .string(to: ManifestWords.longestArgument), from: 1, to: ProcessManifest.mostArguments)

    static let api: [Schema.Member] = [
        .required("min", integer(ProcessManifest.apiRange)),
        .required("max", integer(ProcessManifest.apiRange), "Not below `min`"),
    ]

    static let requires: [Schema.Member] = [
        .optional(
            "files", .array(of: absolutePath, to: ProcessManifest.mostRequiredFiles),
            "Files without which it does not run")
    ]

    static let method: [Schema.Member] = [
        .required(
            "name",
            .string(
                to: ManifestWords.longestName,
                pattern: "^[a-z][a-z0-9-]{0,31}([.][a-z][A-Za-z0-9]*)+$"),
            "It begins with the id"),
        .optional("summary", .string(from: 1, to: ProcessManifest.longestSummary)),
        .optional("params", checkedSchema("Of its parameters")),
        .optional("result", checkedSchema("Of its result")),
    ]

    static let attribute: [Schema.Member] = [
        .required("name", dotted, "What it means, whoever finds it out"),
        .required("type", choice(of: ProcessManifest.AttributeType.self)),
        .optional("for", condition(ManifestCondition.ofFiles)),
        .optional("group", word, "Attributes of a group come from one reading of a file"),
    ]

    private static func condition(_ operators: [String]) -> Schema {
        .array(beginningWith: .choice(among: operators)).described(
            "A filter, as the `where` of a list")
    }

    static let source: [Schema.Member] = [.required("name", word), .required("title", title)]

    static let action: [Schema.Member] = [
        .required("id", word), .required("title", title),
        .optional("when", condition(ManifestCondition.ofItems)),
        .optional("many", .boolean, "Whether it takes several items; false unless given"),
        .optional("writes", .boolean, "Whether it changes files; false unless given"),
    ]

    static let needs: [Schema.Member] = [
        .optional("network", .boolean, "False unless given"),
        .optional(
            "write",
            .array(
                of: .either(
                    .constant("roots"),
                    .string(to: ManifestWords.longestArgument, pattern: "^(cache)?/")),
                to: ProcessManifest.mostWrittenPaths)),
        .optional(
            "read", choice(of: ProcessManifest.Reading.self),
            "What it reads, for people: nothing is kept from it; \"roots\" unless given"),
        .optional("jit", .boolean, "Whether it makes code at run time; false unless given"),
    ]

    static let limits: [Schema.Member] = [
        .optional("memoryMiB", integer(ProcessManifest.Limits.memoryRange)),
        .optional("tasks", integer(ProcessManifest.Limits.tasksRange)),
        .optional("callMs", integer(ProcessManifest.Limits.callRange)),
        .optional("parallel", integer(ProcessManifest.Limits.parallelRange)),
    ]
}

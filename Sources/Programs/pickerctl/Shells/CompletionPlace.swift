import PickerClient

/// What stands at a place of a command line.
package enum CompletionKind: Equatable {
    case nothing
    case commands(below: [String])
    /// Documents; of those that were dropped, or of all others.
    case documents(areDropped: Bool)
    case query
    case sortKeys
    case topics
    case collections
    case roots
    case attributes
    case plugins
    case actions
    case words([String])
    case files
    case folders
}

/// The place in a command line of pickerctl where somebody types.
package struct CompletionPlace {
    package private(set) var kind = CompletionKind.nothing
    /// What is typed of the text there.
    package private(set) var typed: [UInt8]
    /// What of the same word is in front of it: as `--sort=`.
    package private(set) var head: [UInt8] = []
    /// The options that may stand here instead.
    package private(set) var options: [CommandHelp.Option] = []
    /// The words of the command that are neither its options nor their values.
    package private(set) var arguments: [[UInt8]] = []
    /// The value of `--socket`.
    package private(set) var socket: String?

    /// - Parameters:
    ///   - before: the program, and the words between it and the place.
    ///   - typed: what is typed of the word there.
    package init(behind before: [[UInt8]], typed: [UInt8]) {
        self.typed = typed
        let program = before.first?.split(separator: UInt8(ascii: "/")).last ?? []
        var path = program.elementsEqual(CommandHelp.daemon.utf8) ? [CommandHelp.daemon] : []
        var help: CommandHelp?
        var valued: String?
        var isEnded = false
        func helpNow() -> CommandHelp? {
            help = help ?? CommandHelp(of: path)
            return help
        }
        var given: Set<String> = []
        for bytes in before.dropFirst() {
            let word = RawArguments.text(of: bytes)
            if let name = valued {
                if name == "--socket" { socket = word }
                valued = nil
            } else if !isEnded, word == "--" {
                isEnded = true
            } else if !isEnded, word.hasPrefix("-"), word != "-" {
                let name = String(word.prefix { $0 != "=" })
                given.insert(name)
                if name.count < word.count {
                    if name == "--socket" { socket = String(word.dropFirst(name.count + 1)) }
                } else if helpNow()?.takesValue(name) == true {
                    valued = name
                }
            } else if path.isEmpty || path == ["plugin"] {
                path.append(word)
                help = nil
            } else {
                arguments.append(bytes)
            }
        }
        if let valued {
            kind = CompletionWords.kind(ofValueOf: valued, in: path)
            return
        }
        let word = RawArguments.text(of: typed)
        if !isEnded, word.hasPrefix("--"), let end = typed.firstIndex(of: UInt8(ascii: "=")) {
            head = Array(typed[...end])
            self.typed = Array(typed[(end + 1)...])
            kind = CompletionWords.kind(ofValueOf: String(word.prefix { $0 != "=" }), in: path)
            return
        }
        if !isEnded, word.hasPrefix("-") {
            options = (helpNow()?.options ?? []).filter { given.isDisjoint(with: $0.names) }
        }
        if path.isEmpty || path == ["plugin"] {
            kind = .commands(below: path)
        } else {
            kind = CompletionWords.kind(
                ofArgument: arguments.count, of: path, typed: word, isUndo: given.contains("--undo")
            )
        }
    }
}

import MessageBus

// The options of a dialog, and its results.
//
// A value of another type than the portal has for its name is left out, as one of an unknown name is.

extension BusMessage {
    /// Reads the options of a dialog, the value that is next.
    func readOptions(of request: inout PortalRequest) {
        guard enter("a", "{sv}") else { return }
        while enter("e", "sv") {
            guard let name = readText(), let type = peekVariant() else { return }
            if Self.types[name] == type {
                guard enter("v", type) else { return }
                readOption(name, &request)
                guard leave() else { return }
            } else if !skip("v") {
                return
            }
            guard leave() else { return }
        }
    }

    private static let types = [
        "multiple": "b", "directory": "b", "filters": "a(sa(us))", "current_filter": "(sa(us))",
        "choices": "a(ssa(ss)s)", "current_folder": "ay", "current_file": "ay",
        "current_name": "s", "files": "aay",
    ]

    private func readOption(_ name: String, _ request: inout PortalRequest) {
        switch name {
        case "multiple": request.isMultiple = readFlag() ?? false
        case "directory": request.isFolder = readFlag() ?? false
        case "filters":
            var rules = PortalRequest.mostRules
            request.filters = readArray("(sa(us))", most: PortalRequest.mostFilters) {
                $0.readFilter(&rules)
            }
        case "current_filter":
            var rules = PortalRequest.mostRules
            request.currentFilter = readFilter(&rules)
        case "choices":
            request.choices = readArray("(ssa(ss)s)", most: PortalRequest.mostChoices) {
                $0.readChoice()
            }
        case "current_folder": request.folder = readPath() ?? []
        case "current_file": request.file = readPath() ?? []
        case "current_name": request.name = readText() ?? ""
        default: request.files = readArray("ay", most: .max) { $0.readPath() }
        }
    }

    /// Reads an array to its end, and keeps its first elements.
    private func readArray<Element>(
        _ type: String, most: Int, _ read: (BusMessage) -> Element?
    ) -> [Element] {
        guard enter("a", type) else { return [] }
        var elements: [Element] = []
        while let element = read(self) {
            if elements.count < most { elements.append(element) }
        }
        _ = leave()
        return elements
    }

    /// Bytes up to the NUL that ends them.
    private func readPath() -> [UInt8]? { readBytes().map { Array($0.prefix { $0 != 0 }) } }

    private func readFilter(_ left: inout Int) -> PortalFilter? {
        guard enter("r", "sa(us)"), let name = readText() else { return nil }
        let rules = readArray("(us)", most: left) { message -> PortalFilter.Rule? in
            guard message.enter("r", "us"), let kind = message.readUnsigned(),
                let text = message.readText(), message.leave()
            else { return nil }
            return PortalFilter.Rule(kind: kind, text: text)
        }
        left -= rules.count
        return leave() ? PortalFilter(name: name, rules: rules) : nil
    }

    private func readChoice() -> PortalRequest.Choice? {
        guard enter("r", "ssa(ss)s"), let id = readText(), readText() != nil else { return nil }
        let options = readArray("(ss)", most: PortalRequest.mostFilters) { message -> String? in
            guard message.enter("r", "ss"), let option = message.readText(),
                message.readText() != nil, message.leave()
            else { return nil }
            return option
        }
        guard let selected = readText(), leave() else { return nil }
        return PortalRequest.Choice(id: id, options: options, selected: selected)
    }

    // MARK: Results

    /// Writes how a dialog has ended, and what was chosen.
    func append(_ result: PortalResult) {
        append(result.response.rawValue)
        container("a", "{sv}") {
            guard result.response == .done else { return }
            entry("uris", "as") { append(result.uris) }
            entry("choices", "a(ss)") {
                container("a", "(ss)") {
                    for choice in result.choices {
                        container("r", "ss") {
                            append(choice.id)
                            append(choice.answer)
                        }
                    }
                }
            }
            if let filter = result.filter {
                entry("current_filter", "(sa(us))") { append(filter) }
            }
            if let isWritable = result.isWritable {
                entry("writable", "b") { append(isWritable) }
            }
        }
    }

    private func append(_ filter: PortalFilter) {
        container("r", "sa(us)") {
            append(filter.name)
            container("a", "(us)") {
                for rule in filter.rules {
                    container("r", "us") {
                        append(rule.kind)
                        append(rule.text)
                    }
                }
            }
        }
    }
}

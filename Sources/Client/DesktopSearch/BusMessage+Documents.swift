import MessageBus
import PickerClient

// Documents as GNOME and KRunner take them.

extension BusMessage {
    /// Writes an entry of a dictionary whose value has the types `contents`.
    func entry(_ name: String, _ contents: String, _ write: () -> Void) {
        container("e", "sv") {
            append(name)
            container("v", contents, write)
        }
    }

    /// Writes what a shell shows of a document. There is no text for the clipboard: the shell would put it there
    /// whenever the document is opened, in place of what the user has there.
    func append(_ card: DocumentCard, key: String) {
        container("a", "{sv}") {
            entry("id", "s") { append(key) }
            entry("name", "s") { append(card.name) }
            entry("description", "s") { append(card.folder) }
            // As GIcon is serialised.
            entry("icon", "(sv)") {
                container("r", "sv") {
                    switch card.icon {
                    case .themed(let names):
                        append("themed")
                        container("v", "as") { append(names) }
                    case .file(let uri):
                        append("file")
                        container("v", "s") { append(uri) }
                    }
                }
            }
        }
    }

    /// Writes rows in their order as matches of KRunner.
    func append(matches items: [ListItem], home: String?) {
        container("a", "(sssida{sv})") {
            for (item, relevance) in zip(items, MatchRelevance.values(of: items)) {
                let card = DocumentCard(item, home: home)
                container("r", "sssida{sv}") {
                    append(item.key)
                    append(card.name)
                    append(card.iconName)
                    append(MatchRelevance.isExact(item) ? Int32(100) : Int32(30))
                    append(relevance)
                    container("a", "{sv}") {
                        entry("subtext", "s") { append(card.folder) }
                        if let uri = card.uri { entry("urls", "as") { append([uri]) } }
                    }
                }
            }
        }
    }
}

/// What KRunner offers of each match besides opening it.
enum RunnerActions {
    static let reveal = "reveal"

    /// Writes their ids, texts and icons.
    static func append(to answer: BusMessage) {
        answer.container("a", "(sss)") {
            answer.container("r", "sss") {
                answer.append(reveal)
                answer.append("Show in the file manager")
                answer.append("document-open-folder")
            }
        }
    }
}

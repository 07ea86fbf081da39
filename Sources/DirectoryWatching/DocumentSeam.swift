package import PickerModel

package final class DocumentStore {
    package private(set) var rev = 0
    package private(set) var documents: [String: Document] = [:]
    private var last = 0
    package init() {}
    package func document(_ key: String) -> Document? { documents[key] }
    package func makeKey() -> String { last += 1; return "f\(last)" }
    package func apply(removed: [Document], inserted: [Document]) -> Int {
        for document in removed {
            precondition(documents.removeValue(forKey: document.key) == document)
        }
        for document in inserted {
            precondition(documents.updateValue(document, forKey: document.key) == nil)
        }
        rev += 1
        return rev
    }
}

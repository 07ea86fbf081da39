package import PickerModel
package import WireProtocol

// The model's things as the wire shows them.

extension WireName {
    package init(_ name: FileName) {
        self.init(text: name.text, bytes: name.rawBytes)
    }
}

extension DocumentRecord {
    package init(_ document: Document) {
        self.init(
            key: document.key, name: WireName(document.name), path: WireName(document.path),
            root: document.root, size: Int64(clamping: document.size),
            modified: document.modified.secondsSince1970, type: document.type.text)
    }
}

extension ItemRecord {
    package init(_ item: PickerItem) {
        switch item {
        case .newDocument: self = .new
        case .document(let document): self.init(DocumentRecord(document))
        }
    }
}

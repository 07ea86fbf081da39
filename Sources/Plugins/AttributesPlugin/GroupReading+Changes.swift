internal import PickerModel

// Values that have changed while their files stayed as they are.
extension GroupReading {
    /// Reads documents again, or all but those that can't be read. Their values stay until then.
    func valuesChanged(of keys: [KeyNumber]?) {
        for key in keys ?? Array(busy) where busy.contains(key) && waiting[key] == nil {
            // What the cache or the reader is about to say of it was so before.
            again.insert(key)
        }
        if let keys {
            for row in keys.compactMap({ documents.table.row(of: $0) }) {
                read.remove(row)
                rewind(to: row)
            }
        } else {
            read.removeAll(but: failed)
            rewind()
        }
        pumpSoon()
        house.countSoon()
    }

    /// Whether what has been found of a document was so before a change. It is read again then.
    func isOutdated(_ key: KeyNumber) -> Bool { again.contains(key) }
}

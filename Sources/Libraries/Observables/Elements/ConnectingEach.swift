// A connection per element, which lasts as long as the element is present.

extension ObservableSetType {
    /// Keeps a connection for each element: `body` creates it when the element arrives, or immediately
    /// for present elements. It ends when the element leaves; all of them end with the returned
    /// connection.
    ///
    /// For each change, the connections of removed elements end before `body` is called for new ones.
    ///
    /// - Complexity: O(1) and one call of `body` for each changed element.
    public func connectEach(_ body: @escaping (Element) -> Connection) -> Connection {
        let kept = KeptConnections<[Element: Connection]>([:])
        let connection = connect { change in
            for element in change.removed { kept.connections[element] = nil }
            for element in change.inserted { kept.connections[element] = body(element) }
        }
        for element in value { kept.connections[element] = body(element) }
        return kept.connection(endingWith: connection)
    }
}

extension ObservableArrayType {
    /// Keeps a connection for each row: `body` creates it when the row arrives, or immediately for
    /// present rows. It ends when the row leaves; all of them end with the returned connection.
    ///
    /// A row that leaves and arrives elsewhere gets a new connection. For each modification, the
    /// connections of removed rows end before `body` is called for new ones.
    ///
    /// - Complexity: O(log *n*) and one call of `body` for each changed row.
    public func connectEach(_ body: @escaping (Element) -> Connection) -> Connection {
        let kept = KeptConnections(ChunkedRows<Connection>())
        let connection = connect { change in
            for modification in change.modifications {
                kept.connections.replaceSubrange(modification.inputRange, with: [])
                let arrived = modification.newElements.map(body)
                let start = modification.startIndex
                kept.connections.replaceSubrange(start..<start, with: arrived)
            }
        }
        kept.connections = ChunkedRows(value.map(body))
        return kept.connection(endingWith: connection)
    }
}

extension ObservableDictionaryType {
    /// Keeps a connection for each entry: `body` creates it when its key arrives or gets another value,
    /// or immediately for present entries. It ends when the key leaves or gets another value; all of
    /// them end with the returned connection.
    ///
    /// - Complexity: O(1) and one call of `body` for each changed key.
    public func connectEach(_ body: @escaping (Key, Value) -> Connection) -> Connection {
        let kept = KeptConnections<[Key: Connection]>([:])
        let connection = connect { change in
            for (key, edit) in change.edits {
                kept.connections[key] = nil
                if let new = edit.new { kept.connections[key] = body(key, new) }
            }
        }
        for (key, value) in value { kept.connections[key] = body(key, value) }
        return kept.connection(endingWith: connection)
    }
}

/// The connections of a collection's elements.
private final class KeptConnections<Connections> {
    var connections: Connections
    private let none: Connections

    init(_ none: Connections) {
        connections = none
        self.none = none
    }

    /// A connection that ends `connection` and then all of these.
    func connection(endingWith connection: Connection) -> Connection {
        Connection {
            connection.disconnect()
            self.connections = self.none
        }
    }
}

// Something that goes on for each element as long as it is there: a connection of its own.

extension ObservableSetType {
    /// Keeps a connection for each element: the one that `body` gives when the element arrives, or at once
    /// for those that are there. It ends when the element leaves, and all of them with the result.
    ///
    /// Of a change, connections that end do so before `body` is called for what arrives.
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
    /// Keeps a connection for each row: the one that `body` gives when the row arrives, or at once for those
    /// that are there. It ends when the row leaves, and all of them with the result.
    ///
    /// A row that is told to leave and to arrive elsewhere is connected anew. Of each modification,
    /// connections that end do so before `body` is called for what arrives.
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
    /// Keeps a connection for each entry: the one that `body` gives when its key comes or holds another
    /// value, or at once for those that are there. It ends when the key goes or holds another value, and all
    /// of them with the result.
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

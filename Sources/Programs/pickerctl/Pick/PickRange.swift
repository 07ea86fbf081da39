package import PickerClient
package import Picking

/// The documents of a range of the list, once.
package final class PickRange {
    private let list: LiveList

    /// Asks for them, and calls `tell` once, unless it is closed before: with those that are there, or why they can't be
    /// had.
    package init(
        _ request: RangeRequest, fields: [String]?, collection: String?,
        on connection: PickerConnection, _ tell: @escaping (Result<[ListItem], ClientError>) -> Void
    ) {
        list = LiveList(PickList.query(request.query, fields, collection))
        var isTold = false
        list.onError = { error in
            if isTold { return }
            isTold = true
            tell(.failure(error))
        }
        list.onChange = { [unowned list] _ in
            if isTold || !list.isComplete { return }
            isTold = true
            tell(.success(list.items.filter { !$0.isNew }))
        }
        list.attach(to: connection)
    }

    package func close() { list.close() }
}

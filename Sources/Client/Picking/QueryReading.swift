package import PickerClient

/// What a typed line asks for.
package struct QueryReading: Equatable, Sendable {
    /// What is searched for; nil for nothing.
    package var search: String?
    /// How it is searched for.
    package var match = ListQuery.Match.fuzzy
    package var filter: PickerFilter?
    /// The order that the line asks for; empty if it asks for none.
    package var sort: [String] = []
    /// The most rows that the line asks for.
    package var limit: Int?
    /// The texts that are searched for, of which previews show the first.
    package var terms: [String] = []
    /// What is wrong with the line.
    package var fault: QueryTextError?

    /// Nothing: all documents.
    package init() {}

    /// Reads a line. The options say when and where dates are; the attributes are those that there are, if known.
    package init(_ line: String, _ options: PickOptions, attributes: [String]?) {
        let typed = TypedQuery(
            text: line, at: options.now, in: options.zone, attributes: attributes)
        search = typed.query.search
        filter = typed.query.filter
        sort = typed.query.sort
        limit = typed.query.count
        terms = typed.terms
        fault = typed.fault
    }
}

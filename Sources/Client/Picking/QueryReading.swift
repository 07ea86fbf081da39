package import PickerClient
internal import WireProtocol

/// What a typed line asks for.
package struct QueryReading: Equatable, Sendable {
    /// What is searched for; nil for nothing.
    package var search: String?
    /// How it is searched for, if the line says so.
    package var match: ListQuery.Match?
    package var filter: PickerFilter?
    /// The order that the line asks for; empty if it asks for none.
    package var sort: [String] = []
    /// The most rows that the line asks for.
    package var limit: Int?
    /// What is wrong with the line: then there is nothing else.
    package var fault: QueryTextError?

    /// Nothing: all documents.
    package init() {}

    /// Reads a line. One that is no query, and that has no word of queries in it, is searched for as it is. The options
    /// say when and where dates are.
    package init(_ line: String, _ options: PickOptions) {
        self.init()
        let isBlank = line.allSatisfy(\.isWhitespace)
        if isBlank { return }
        do throws(QueryTextError) {
            let query = try ListQuery(text: line, at: options.now, in: options.zone)
            search = query.search
            match = query.match
            filter = query.filter
            sort = query.sort
            limit = query.count
        } catch {
            if error.fault.contains(":") || QueryWord.isBegun(before: error) {
                fault = error
            } else {
                search = line
            }
        }
    }

    /// The words that are searched for, of which previews show the first, without the signs of a fuzzy search.
    package var terms: [String] {
        let words = (search ?? "").split(separator: " ").prefix(16)
        return words.compactMap { word in
            if word == "|" || word.hasPrefix("!") { return nil }
            var term = word
            while let first = term.first, first == "'" || first == "^" { term.removeFirst() }
            if term.last == "$", term.count > 1 { term.removeLast() }
            return term.isEmpty ? nil : String(term)
        }
    }
}

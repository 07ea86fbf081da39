package import PickerModel
package import WireProtocol

/// How much work a request may make, and in what pieces it is done, in steps: a step is about one
/// comparison of a character, a number, a text.
package struct SurveyLimits {
    /// The most that one request may take: some seconds.
    package var request = 400_000_000
    /// Up to so many, it is done at once: a few milliseconds at most.
    package var direct = 200_000
    /// So many documents are sorted at once, and more in slices: a few milliseconds as well.
    package var sortedAtOnce = 4096
    /// So many rows are compared with so many others, to tell a client what differs; where there are more, it
    /// is sent them all.
    package var comparedRows = 4096
    /// The most in one slice, whatever the clock says.
    package var slice = 60_000
    /// After so many the clock is looked at.
    package var look = 4_000
    /// How many surveys are under way at once; the others have not begun, and hold nothing.
    package var atOnce = 4

    package init() {}

    /// Refuses a query that would take more than a request may.
    package func check(_ query: DocumentQuery, of documents: Int) throws(ProtocolError) {
        let weight = query.stepsPerDocument
        let (work, isOver) = weight.multipliedReportingOverflow(by: documents)
        guard isOver || work > request else { return }
        throw .limitExceeded(
            limit: request,
            "the conditions take about \(weight) comparisons for each of \(documents) documents, "
                + "\(isOver ? Int.max : work) in all; one request may take \(request), here "
                + "\(request / max(1, documents)) for each: ask with fewer or shorter patterns")
    }

    /// Whether to ask so many documents, with so many steps for each, is little enough to be done at once.
    package func isDirect(_ steps: Int, _ documents: Int) -> Bool {
        let (work, isOver) = steps.multipliedReportingOverflow(by: documents)
        return !isOver && work <= direct
    }
}

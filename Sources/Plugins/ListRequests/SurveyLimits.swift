package import PickerModel
package import WireProtocol

/// The limits on the work of a request, in steps. A step is about one comparison of a character, number or
/// text.
package struct SurveyLimits {
    /// The most steps of one request: some seconds.
    package var request = 400_000_000
    /// Work of up to this many steps runs at once, without slices: a few milliseconds at most.
    package var direct = 200_000
    /// From this many steps of a search on, the rows of a window are told before it is known how many there are, where
    /// enough documents at the start of an order at hand match: what takes fewer is found in a millisecond.
    package var earlyFrom = 1_000_000
    /// After this many steps of a search that ranks documents, a millisecond, the first of those that it has found so
    /// far are told.
    package var earlyAfter = 60_000
    /// Up to this many documents are sorted at once, more in slices: a few milliseconds as well.
    package var sortedAtOnce = 4096
    /// Up to this many rows are compared with as many others to make a delta; a client with more rows gets
    /// a reset.
    package var comparedRows = 4096
    /// Up to this many rows of a window are read at once, more in slices.
    package var rowsAtOnce = 4096
    /// Up to this many rows of an answer are written at once, more in slices: a millisecond.
    package var rowsWrittenAtOnce = 256
    /// The most steps of one slice, regardless of time.
    package var slice = 60_000
    /// The number of steps between two readings of the clock.
    package var stepsPerClockCheck = 4_000
    /// The number of surveys that run concurrently. Waiting surveys use no memory for results.
    package var concurrentSurveys = 4

    package init() {}

    /// Throws `limitExceeded` if a query takes more steps than one request may.
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

    /// Whether `documents` documents with `steps` steps each are few enough steps to run at once.
    package func isDirect(_ steps: Int, _ documents: Int) -> Bool {
        let (work, isOver) = steps.multipliedReportingOverflow(by: documents)
        return !isOver && work <= direct
    }
}

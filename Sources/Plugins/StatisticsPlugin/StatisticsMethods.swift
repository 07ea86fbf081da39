internal import ListRequests
internal import WireProtocol

extension MethodDefinition {
    static let documentsStats = MethodDefinition(
        "documents.stats", "Count, sizes and times of the documents that a query selects; exact.",
        // Those that make no difference are checked all the same: a query can be passed on as it is.
        parameters: Schema.listParameters + Schema.fieldParameters + Schema.noResumeParameters,
        result: .object([
            .required("count", .count),
            .required("size", .statistics(), "In bytes"),
            .required(
                "modified",
                .object([
                    .required("mean", Schema.number.orNull, "Rounded to the nanosecond first"),
                    .required("min", Schema.number.orNull), .required("max", Schema.number.orNull),
                ]), "In seconds since 1970 UTC"),
        ]),
        errors: [.unsupported, .badExpression], waitsForDocuments: true)
}

internal import ListRequests
internal import WireProtocol

extension MethodDefinition {
    static let documentsStats = MethodDefinition(
        "documents.stats",
        "Count, sizes and times of the documents that a query selects, and the values of an attribute; exact.",
        // Parameters without effect are still checked, so that a client can reuse the query of a list
        // unchanged.
        parameters: Schema.listParameters + Schema.fieldParameters + Schema.noResumeParameters + [
            .optional(
                "attribute", .string(pattern: Schema.attributePattern),
                "Whose values are counted, and added up if they are numbers")
        ],
        result: .object(
            [
                .required("count", .count),
                .required("size", .statistics(), "In bytes"),
                .required(
                    "modified",
                    .object([
                        .required("mean", Schema.number.orNull, "Rounded to the nanosecond first"),
                        .required("min", Schema.number.orNull),
                        .required("max", Schema.number.orNull),
                    ]), "In seconds since 1970 UTC"),
                .pending,
            ], others: .valueStatistics, named: Schema.attributePattern),
        errors: [.unsupported, .badExpression], waitsForDocuments: true)
}

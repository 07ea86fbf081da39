public import PickerClient

/// Something that is done to documents.
///
///     Action("wallpaper") { file, arguments in
///         …  // an error says why it was not done
///     }
///
/// How far it is, is told up to ten times a second. After a cancellation the remaining documents are left alone,
/// and what was done is told.
public struct Action {
    /// The identifier of the action in the manifest.
    public let name: String
    let run: (DocumentFile, RawJSON) throws -> Void

    /// An action.
    ///
    /// - Parameters:
    ///   - name: the identifier of the action in the manifest.
    ///   - run: what does it to one document, with the arguments, an object.
    public init(_ name: String, run: @escaping (DocumentFile, RawJSON) throws -> Void) {
        self.name = name
        self.run = run
    }
}

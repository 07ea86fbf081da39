package import PickerClient

/// The actions that can be done to documents.
package struct ActionMenu: Equatable, Sendable {
    /// The number of the request for them.
    package let number: Int
    package let keys: [String]
    /// Nil until they are known.
    package internal(set) var actions: [DocumentAction]?
    package internal(set) var selected = 0
}

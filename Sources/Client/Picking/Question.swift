package import PickerClient

/// What is asked before it is done.
package struct Question: Equatable, Sendable {
    package enum Deed: Equatable, Sendable {
        case trash([String])
        case run(DocumentAction, [String])
        /// Some marked documents are gone: whether the others are taken.
        case acceptRest
    }

    package let deed: Deed
    package let text: String
}

package import PickerClient

/// What lies over the list, and gets the keys.
package enum Overlay: Equatable, Sendable {
    case help(scroll: Int)
    case actions(ActionMenu)
    case question(Question)
}

/// The actions that can be done to documents.
package struct ActionMenu: Equatable, Sendable {
    /// The number of the request for them.
    package let number: Int
    package let keys: [String]
    /// Nil until they are known.
    package internal(set) var actions: [DocumentAction]?
    package internal(set) var selected = 0
}

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

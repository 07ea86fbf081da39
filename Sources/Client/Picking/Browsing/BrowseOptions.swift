/// How folders are browsed.
package struct BrowseOptions: Equatable, Sendable {
    package enum Purpose: Equatable, Sendable {
        /// A folder is chosen.
        case directory
        /// A folder is chosen, and the name of a file that is to be written there.
        /// - Parameter name: what is in the line of the name at first.
        case save(name: String)
    }

    package var purpose = Purpose.directory
    /// The absolute path of the folder where it begins.
    package var folder: [UInt8]
    /// The absolute path for which `~` stands; nil if there is none.
    package var home: [UInt8]?
    package var prompt = "> "
    package var header: String?
    package var hasColor = true
    /// Whether names that begin with a dot are among the rows.
    package var showsHidden = false

    package init(_ purpose: Purpose, in folder: [UInt8]) {
        self.purpose = purpose
        self.folder = folder
    }

    package var isSave: Bool {
        if case .save = purpose { true } else { false }
    }
}

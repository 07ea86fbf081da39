// What the user's service manager says about this process.

/// A service manager that answers.
package struct ManagerIdentity: Hashable, Sendable {
    /// The service whose main process is this one; `nil` if it was started in another way.
    package let unit: String?
}

/// What lies over the list, and gets the keys.
package enum Overlay: Equatable, Sendable {
    case help(scroll: Int)
    case actions(ActionMenu)
    case question(Question)
}

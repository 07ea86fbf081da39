/// Work that is done a slice at a time, so that nobody waits for all of it.
package protocol SlicedWork: AnyObject {
    /// What it has taken so far, in steps: about one for each thing compared.
    var stepsTaken: Int { get }

    /// Goes on until that took `budget` steps, or a little more.
    /// - Returns: whether all is done.
    func advance(budget: Int) -> Bool
}

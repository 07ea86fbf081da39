package import PickerClient
package import Picking

extension PickOptions {
    /// Those of a watch of what a query asks for.
    package init(watching query: ListQuery, withNew: Bool, hasColor: Bool) {
        self.init()
        mode = .watch
        base.search = query.search
        base.match = query.match ?? .contains
        base.filter = query.filter
        collections = query.collections
        limit = query.count
        showsNewRow = withNew
        self.hasColor = hasColor
        // A fuzzy search is by score unless another order was asked for.
        hasChosenSort = !query.sort.isEmpty && query.sort != scoreSort
        let first = hasChosenSort ? query.sort : ["name"]
        sorts = [first] + sorts.filter { $0 != first }
        prompt = "/"
    }
}

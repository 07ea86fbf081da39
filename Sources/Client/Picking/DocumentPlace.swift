internal import PickerClient

/// Where a document is: it is known again by this if its key means another one.
struct DocumentPlace: Hashable {
    let root: String?
    let path: [UInt8]

    init(_ item: ListItem) {
        root = item.root
        path = item.pathBytes ?? Array((item.path ?? "").utf8)
    }
}

/// The words of the daemon and its parts, which are no identifiers of plugins. A test compares them with a daemon's.
enum OwnWords {
    static let all: Set<String> = [
        "actions", "attributes", "client", "clients", "collections", "daemon", "documents",
        "events",
        "feed", "items", "layout", "layouts", "new", "pickerctl", "pickerd", "plugin", "plugins",
        "processes", "statistics", "sync", "watch",
    ]
}

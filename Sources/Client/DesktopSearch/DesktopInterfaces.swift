/// The interfaces of this program on the bus, as their desktops have defined them.
package enum DesktopInterfaces {
    package static let busName = "org.pickerd.Desktop"
    package static let path = "/org/pickerd/Desktop"
    package static let searchProvider = "org.gnome.Shell.SearchProvider2"
    package static let runner = "org.kde.krunner1"
    /// The object of dialogs, where the portal calls it.
    package static let portalPath = "/org/freedesktop/portal/desktop"
    package static let fileChooser = "org.freedesktop.impl.portal.FileChooser"
    /// Of an open dialog, at a path that the portal chooses.
    package static let request = "org.freedesktop.impl.portal.Request"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"

    /// A method: its name, and the names and types of its arguments and results.
    private struct Method {
        let name: String
        let takes: [(name: String, type: String)]
        let gives: [(name: String, type: String)]
        /// The type in Qt of a result that is no plain one.
        var qtType: String?
    }

    private typealias Interface = (name: String, methods: [Method])

    private static let searches: [Interface] = [
        (
            searchProvider,
            [
                Method(
                    name: "GetInitialResultSet", takes: [("terms", "as")],
                    gives: [("results", "as")]),
                Method(
                    name: "GetSubsearchResultSet",
                    takes: [("previous_results", "as"), ("terms", "as")],
                    gives: [("results", "as")]),
                Method(
                    name: "GetResultMetas", takes: [("identifiers", "as")],
                    gives: [("metas", "aa{sv}")]),
                Method(
                    name: "ActivateResult",
                    takes: [("identifier", "s"), ("terms", "as"), ("timestamp", "u")], gives: []),
                Method(
                    name: "LaunchSearch", takes: [("terms", "as"), ("timestamp", "u")], gives: []),
            ]
        ),
        (
            runner,
            [
                Method(
                    name: "Actions", takes: [], gives: [("matches", "a(sss)")],
                    qtType: "RemoteActions"),
                Method(
                    name: "Match", takes: [("query", "s")], gives: [("matches", "a(sssida{sv})")],
                    qtType: "RemoteMatches"),
                Method(
                    name: "Run", takes: [("matchId", "s"), ("actionId", "s")], gives: []),
                Method(
                    name: "Config", takes: [], gives: [("config", "a{sv}")], qtType: "QVariantMap"),
                Method(name: "Teardown", takes: [], gives: []),
                Method(name: "SetActivationToken", takes: [("token", "s")], gives: []),
            ]
        ),
    ]

    private static func dialog(_ name: String) -> Method {
        Method(
            name: name,
            takes: [
                ("handle", "o"), ("app_id", "s"), ("parent_window", "s"), ("title", "s"),
                ("options", "a{sv}"),
            ], gives: [("response", "u"), ("results", "a{sv}")])
    }

    private static let dialogs: [Interface] = [
        (fileChooser, [dialog("OpenFile"), dialog("SaveFile"), dialog("SaveFiles")])
    ]

    private static let requests: [Interface] = [
        (request, [Method(name: "Close", takes: [], gives: [])])
    ]

    /// Those of all objects.
    private static let common: [Interface] = [
        (introspectable, [Method(name: "Introspect", takes: [], gives: [("xml_data", "s")])]),
        (
            properties,
            [
                Method(
                    name: "Get", takes: [("interface_name", "s"), ("property_name", "s")],
                    gives: [("value", "v")]),
                Method(
                    name: "GetAll", takes: [("interface_name", "s")], gives: [("props", "a{sv}")]),
                Method(
                    name: "Set",
                    takes: [
                        ("interface_name", "s"), ("property_name", "s"), ("value", "v"),
                    ], gives: []),
            ]
        ),
    ]

    /// The interfaces of the object at `path`; nil if there is none.
    private static func interfaces(of path: String, isRequest: Bool) -> [Interface]? {
        switch path {
        case Self.path: searches + common
        case portalPath: dialogs + common
        default: isRequest ? requests + common : nil
        }
    }

    /// The types that a method of an object takes, by its interface and name with a dot between; nil if there is none.
    ///
    /// What leads to an object can be described.
    package static func signature(of member: String, at path: String, isRequest: Bool = false)
        -> String?
    {
        for (interface, methods) in interfaces(of: path, isRequest: isRequest) ?? common {
            for method in methods where "\(interface).\(method.name)" == member {
                return method.takes.map(\.type).joined()
            }
        }
        return nil
    }

    /// The description of the object at `path`, or of what leads to it; nil if nothing is there.
    package static func description(of path: String, isRequest: Bool = false) -> String? {
        var text = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        if let interfaces = interfaces(of: path, isRequest: isRequest) {
            for (interface, methods) in interfaces {
                text += " <interface name=\"\(interface)\">\n"
                for method in methods { text += description(of: method) }
                text += " </interface>\n"
            }
        } else {
            let start = path == "/" ? "/" : path + "/"
            let below = [Self.path, portalPath].filter { $0.hasPrefix(start) }
            if below.isEmpty { return nil }
            for child in Set(below.map { $0.dropFirst(start.count).prefix { $0 != "/" } }).sorted()
            {
                text += " <node name=\"\(child)\"/>\n"
            }
        }
        return text + "</node>\n"
    }

    private static func description(of method: Method) -> String {
        var text = "  <method name=\"\(method.name)\">\n"
        for (direction, arguments) in [("in", method.takes), ("out", method.gives)] {
            for (name, type) in arguments {
                text += "   <arg name=\"\(name)\" type=\"\(type)\" direction=\"\(direction)\"/>\n"
            }
        }
        if let type = method.qtType {
            text +=
                "   <annotation name=\"org.qtproject.QtDBus.QtTypeName.Out0\" value=\"\(type)\"/>\n"
        }
        return text + "  </method>\n"
    }
}

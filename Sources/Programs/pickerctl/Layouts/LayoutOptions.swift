import ArgumentParser
import PickerClient

/// The options of a layout.
struct LayoutOptions: ParsableArguments {
    @Argument(
        help: "The kind of layout: list, grid, flow or force.")
    var kind: String

    @Option(
        help: ArgumentHelp("The window, in px: 800x600 unless it is said.", valueName: "WxH"))
    var bounds: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            """
            An option of the layout, as stiffness=0.1 or cell=[40,20]; may be given again. The \
            daemon says which there are.
            """, valueName: "name=value"))
    var option: [String] = []

    func validate() throws { _ = try query() }

    /// The request to the daemon.
    func query() throws -> LayoutQuery {
        guard let chosen = LayoutQuery.Kind(rawValue: kind) else {
            let kinds = LayoutQuery.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("there is no layout '\(kind)', only \(kinds).")
        }
        let size = try Self.size(bounds)
        return LayoutQuery(
            chosen, width: size.width, height: size.height, options: try options())
    }

    private static func size(_ text: String?) throws -> (width: Double, height: Double) {
        guard let text else { return (800, 600) }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]),
            width > 0, height > 0, width <= 1e9, height <= 1e9
        else {
            throw ValidationError(
                "--bounds \(text): it must be a width and a height in px, as 800x600.")
        }
        return (width, height)
    }

    /// The options as one JSON object. A value that is not JSON is a string.
    private func options() throws -> RawJSON {
        var members: [String] = []
        for text in option {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw ValidationError("--option \(text): it must be name=value.")
            }
            let value = String(text[text.index(after: sign)...])
            let json = (try? RawJSON(value))?.text ?? JSONRows.quoted(value)
            members.append("\(JSONRows.quoted(String(text[..<sign]))):\(json)")
        }
        do {
            return try RawJSON("{\(members.joined(separator: ","))}")
        } catch {
            throw ValidationError("--option: \(error)")
        }
    }
}

import PickerClient
import SystemInterface

/// Where pickerd_plugin.py is, with which plugins in Python are made.
enum PythonKit {
    static let name = "pickerd_plugin.py"
    private static let longest = 1 << 20

    /// Reads it.
    static func read() throws -> [UInt8] {
        let kit = try KitPlaces.own(lookingFor: name)
        var places = [kit.share.adding("python/\(name)")]
        if let project = kit.project { places.append(project.adding("contrib/clients/\(name)")) }
        for place in places {
            if let bytes = try PrivateFile.contents(of: place, limit: longest), !bytes.isEmpty {
                return bytes
            }
        }
        throw CommandError(
            "\(name) is not there, at \(places.map(\.description).joined(separator: " or ")): "
                + "'contrib/install --plugins' puts it there")
    }
}

import JSONText

/// A small file of some kind, for plugins that read files of that kind.
struct SampleContent {
    let type: String
    let bytes: [UInt8]
    /// Whether it is all that a file of its kind needs, for whoever reads it.
    let isWhole: Bool

    /// Of a file with this suffix. What is not known is a text.
    static func of(suffix: String) -> SampleContent {
        let suffix = suffix.lowercased()
        if let type = types.first(where: { $0.suffixes.contains(suffix) }) {
            return SampleContent(type: type.name, bytes: type.bytes, isWhole: type.isWhole)
        }
        return SampleContent(
            type: "application/octet-stream", bytes: Array(text.utf8), isWhole: false)
    }

    /// The usual suffix of files of a media type; nil if it is not known.
    static func suffix(ofType type: String) -> String? {
        types.first { $0.name == type.lowercased() }?.suffixes.first
    }

    private struct Kind {
        let name: String
        let suffixes: [String]
        let bytes: [UInt8]
        let isWhole: Bool

        init(_ name: String, _ suffixes: [String], text: String, isWhole: Bool = true) {
            self.name = name
            self.suffixes = suffixes
            bytes = Array(text.utf8)
            self.isWhole = isWhole
        }

        init(_ name: String, _ suffixes: [String], base64: String, isWhole: Bool = true) {
            self.name = name
            self.suffixes = suffixes
            bytes = Base64.decode(base64) ?? []
            self.isWhole = isWhole
        }
    }

    private static let text = "A sample of pickerctl plugin check.\nIts second line.\n"

    private static let types: [Kind] = [
        Kind("text/plain", ["txt", "text", "log"], text: text),
        Kind("text/markdown", ["md", "markdown"], text: "# A sample\n\n" + text),
        Kind("text/html", ["html", "htm"], text: "<!doctype html><title>A sample</title>\n"),
        Kind("text/csv", ["csv"], text: "name,size\nsample,1\n"),
        Kind("application/json", ["json"], text: "{\"name\": \"A sample\"}\n"),
        Kind("application/xml", ["xml"], text: "<?xml version=\"1.0\"?><sample/>\n"),
        Kind(
            "image/svg+xml", ["svg"],
            text: "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"3\"/>\n"),
        Kind("text/x-python", ["py"], text: "print('A sample')\n"),
        Kind("application/pdf", ["pdf"], text: pdf, isWhole: false),
        // Four pixels by three, and as small as their formats allow.
        Kind(
            "image/png", ["png"],
            base64:
                "iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAAAAACRn/EaAAAAC0lEQVR4nGNgQAEAAA8AAbVWKT4AAAAA"
                + "SUVORK5CYII="),
        Kind(
            "image/jpeg", ["jpg", "jpeg", "jpe"],
            base64:
                "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
                + "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAA"
                + "AAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"),
        Kind(
            "image/gif", ["gif"],
            base64: "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs="),
        Kind(
            "image/webp", ["webp"], base64: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
            isWhole: false),
        Kind(
            "audio/x-wav", ["wav"],
            base64: "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="),
        Kind(
            "application/zip", ["zip"], base64: "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", isWhole: false),
    ]

    private static let pdf = """
        %PDF-1.4
        1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
        2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
        3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 4 3]>> endobj
        trailer <</Root 1 0 R>>
        %%EOF

        """
}

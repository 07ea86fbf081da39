/// A manifest with every member, one or a few to a line.
enum ExampleManifest {
    static let text = """
        {
          "id": "image", "name": "Image facts", "version": "1.2.0",
          "api": {"min": 1, "max": 1},
          "exec": ["./image-facts", "--quiet"],
          "requires": {"files": ["/bin/sh"]},
          "methods": [
            {"name": "image.palette", "summary": "Its colours.",
             "params": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}},
             "result": {"type": "array"}}
          ],
          "topics": ["image.unreadable"],
          "attributes": [
            {"name": "image.width", "type": "integer", "for": ["suffix", ["jpg", "png"]], "group": "header"},
            {"name": "image.taken", "type": "time", "for": ["type", "image/jpeg"], "group": "header"},
            {"name": "image.tracked", "type": "boolean"}
          ],
          "sources": [{"name": "albums", "title": "Albums"}],
          "actions": [
            {"id": "wallpaper", "title": "Set as wallpaper", "when": ["attr", "image.width", "ge", 1920],
             "many": false, "writes": true}
          ],
          "needs": {"network": true, "write": ["roots", "/var/tmp/x"], "read": "home", "jit": true},
          "limits": {"memoryMiB": 512, "tasks": 8, "callMs": 500, "parallel": 2},
          "keep": "always",
          "config": {"type": "object", "required": ["depth"]}
        }
        """

    /// With only what every manifest has.
    static func least(_ more: String = "") -> String {
        """
        {"id": "x", "name": "X", "version": "1", "api": {"min": 1, "max": 2}, "exec": ["/bin/true"]\(more)}
        """
    }
}

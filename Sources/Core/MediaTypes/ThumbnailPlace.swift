// Where the thumbnail of a file may be.

/// Where the thumbnail of a file may be, as the Thumbnail Managing Standard 0.9 says.
package enum ThumbnailPlace {
    /// The folders of sizes, the best first: at most 512, 256, 128 and 1,024 pixels a side.
    package static let folders = ["x-large", "large", "normal", "xx-large"]

    /// The paths to try for a file with this URI, relative to `$XDG_CACHE_HOME/thumbnails`, the best first.
    package static func names(_ uri: String) -> [String] {
        let digest = MD5.text(of: uri.utf8Span.span)
        return folders.map { "\($0)/\(digest).png" }
    }
}

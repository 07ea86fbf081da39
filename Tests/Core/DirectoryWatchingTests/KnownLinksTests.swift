import Testing

@testable import DirectoryWatching

@Suite("The known links and the listed places")
struct KnownLinksTests {
    private static let paths = ["/", "/a", "/b", "/ab", "/a/a", "/a/b", "/a/a/a", "/a/ab", "/b/a"]

    private static func target(_ path: String, inode: UInt64 = 1) -> LinkTarget {
        LinkTarget(path: Array(path.utf8), identity: 1, inode: inode)
    }

    private static func lies(_ path: String, in folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix(folder + "/")
    }

    @Test("A folder is refused if it lies in a listed one, or has one in it")
    func places() {
        for first in Self.paths {
            for second in Self.paths {
                var places = ListedPlaces()
                places.add(Array(first.utf8), inode: 0, as: Array("/x/1".utf8))
                places.add(Array(second.utf8), inode: 7, as: Array("/x/2".utf8))
                for path in Self.paths {
                    let refusal = places.refusal(of: Self.target(path))
                    let isInside = Self.lies(path, in: first) || Self.lies(path, in: second)
                    let isAround = Self.lies(first, in: path) || Self.lies(second, in: path)
                    switch refusal {
                    case .listed: #expect(isInside, "\(path) in \(first), \(second)")
                    case .around: #expect(isAround && !isInside, "\(path): \(first), \(second)")
                    case .tooDeep, nil:
                        #expect(!isInside && !isAround, "\(path): \(first), \(second)")
                    }
                }
                // The same folder by another path, as by a bind mount.
                #expect(
                    places.refusal(of: Self.target("/c", inode: 7))
                        == .listed(at: Array("/x/2".utf8)))
            }
        }
        var places = ListedPlaces()
        places.add(Array("/out".utf8), inode: 0, as: Array("/root/link".utf8))
        let inside = places.refusal(of: Self.target("/out/a/b"))
        #expect(inside == .listed(at: Array("/root/link/a/b".utf8)))
    }

    @Test("Links are counted up to the limit, and those in a forgotten folder are forgotten")
    func count() {
        var links = KnownLinks(limit: 3)
        let (one, two) = (WatchedFolder(name: [1]), WatchedFolder(name: [2]))
        links.setDue()
        #expect(links.isEmpty && !links.isDue)
        let noted = [([UInt8(1)], one), ([2], one), ([1], two), ([2], two)].map { name, folder in
            links.note(.plain, as: name, in: folder)
        }
        #expect(noted == [true, true, true, false])
        let isKnown = links.note(.folder(Self.target("/a"), nil), as: [1], in: two)
        #expect(isKnown && links.isFull && links.names.count == 3)
        links.checkInvariants()
        let removed = [[UInt8(3)], [1]].map { links.remove($0, in: one) != nil }
        #expect(removed == [false, true])
        links.note(.plain, as: [2], in: two)
        links.forget(one)
        links.checkInvariants()
        #expect(links.count == 2 && links[[2], in: one] == nil && links[[2], in: two] != nil)
        links.setDue()
        #expect(links.isDue)
        links.forget(two)
        #expect(links.isEmpty && links.count == 0)
        // Folders outside the tree are not decided.
        links.note(.folder(Self.target("/a"), nil), as: [1], in: two)
        #expect(links.toFolders.isEmpty && links.followed.isEmpty)
    }
}

import Observables
import Testing

// The examples of the article on trees. See ArticleTests.swift.

@Suite struct TreeArticleTests {
    private let log = Log<String>()

    /// Shadows the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    final class Folder {
        let name: Variable<String>
        let files: SetVariable<String>
        let folders: ArrayVariable<Folder>

        init(_ name: String, files: Set<String> = [], folders: [Folder] = []) {
            self.name = Variable(name)
            self.files = SetVariable(files)
            self.folders = ArrayVariable(folders)
        }
    }

    final class FolderView {
        private var title: String
        private var files: [String]
        private var folders: [FolderView]
        private var connections: [Connection] = []

        init(_ folder: Folder) {
            let sorted = folder.files.sorted()
            title = folder.name.value
            files = sorted.value
            folders = folder.folders.value.map { FolderView($0) }
            connections = [
                folder.name.connect { [unowned self] in title = $0.new },
                sorted.connect { [unowned self] in $0.apply(on: &files) },
                folder.folders.connect { [unowned self] change in
                    for modification in change.modifications {
                        folders.replaceSubrange(
                            modification.inputRange,
                            with: modification.newElements.map { FolderView($0) })
                    }
                },
            ]
        }
    }

    @Test("The article on trees: each folder follows its own observables")
    func trees() {
        let drafts = Folder("Drafts", files: ["essay.md"])
        let root = Folder("Documents", files: ["notes.md"], folders: [drafts])
        let view = FolderView(root)
        transaction {
            drafts.name.value = "Ideas"
            drafts.folders.append(Folder("Old", files: ["novel.md"]))
            root.files.insert("list.md")
        }
        #expect(
            view.lines == [
                "Documents", "  Ideas", "    Old", "      novel.md", "    essay.md", "  list.md",
                "  notes.md",
            ])
        root.folders.removeAll()
        drafts.name.value = "Gone"
        #expect(view.lines == ["Documents", "  list.md", "  notes.md"])
    }

    @Test("The article on trees: fields of each folder")
    func eachFolder() {
        let drafts = Folder("Drafts", files: ["essay.md"])
        let letters = Folder("Letters", files: ["a.md", "b.md"])
        let root = Folder("Documents", files: ["notes.md"], folders: [drafts, letters])
        let names = root.folders.selectEach { $0.name }
        let files = root.folders.selectEach { $0.files.sorted() }
        let connection = names.connect { _ in print(names.value) }
        drafts.name.value = "Ideas"  // Prints "["Ideas", "Letters"]"
        root.folders.append(Folder("Old", files: ["c.md"]))  // Prints "["Ideas", "Letters", "Old"]"
        print(files.value)  // Prints "["essay.md", "a.md", "b.md", "c.md"]"
        connection.disconnect()
        #expect(
            log.entries == [
                #"["Ideas", "Letters"]"#, #"["Ideas", "Letters", "Old"]"#,
                #"["essay.md", "a.md", "b.md", "c.md"]"#,
            ])

        let busy = root.folders.filter { $0.files.observableCount.map { $0 > 1 } }
        let ordered = root.folders.sorted(using: { $0.name }, by: >)
        #expect(busy.value.map(\.name.value) == ["Letters"])
        #expect(ordered.value.map(\.name.value) == ["Old", "Letters", "Ideas"])
    }

    static func allFiles(_ folder: Folder) -> ObservableArray<String> {
        folder.files.sorted() + folder.folders.selectEach { allFiles($0) }
    }

    @Test("The article on trees: all files of a tree of any depth")
    func wholeTree() {
        let drafts = Folder("Drafts", files: ["essay.md"])
        let letters = Folder("Letters", files: ["a.md", "b.md"])
        let root = Folder("Documents", files: ["notes.md"], folders: [drafts, letters])
        let all = Self.allFiles(root)
        let connection = all.connect { _ in print(all.value) }
        transaction {
            drafts.folders.append(Folder("Deep", files: ["x.md"]))
            letters.files.remove("a.md")
        }  // Prints "["notes.md", "essay.md", "x.md", "b.md"]"
        connection.disconnect()
        #expect(log.entries == [#"["notes.md", "essay.md", "x.md", "b.md"]"#])
    }

    @Test("The article on trees: the chosen folder")
    func chosenFolder() {
        let drafts = Folder("Drafts", files: ["essay.md"])
        let letters = Folder("Letters", files: ["a.md", "b.md"])
        let selected = Variable(drafts)
        let files = selected.flatMap { $0.files.sorted() }
        let connection = files.connect { _ in print(files.value) }
        drafts.files.insert("poem.md")  // Prints "["essay.md", "poem.md"]"
        selected.value = letters  // Prints "["a.md", "b.md"]"
        drafts.files.removeAll()  // Prints nothing: these files are not shown any more.
        connection.disconnect()
        #expect(log.entries == [#"["essay.md", "poem.md"]"#, #"["a.md", "b.md"]"#])
    }
}

extension TreeArticleTests.FolderView {
    fileprivate var lines: [String] {
        [title] + (folders.flatMap(\.lines) + files).map { "  " + $0 }
    }
}

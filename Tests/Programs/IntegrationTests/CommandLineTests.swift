// What people and scripts type, with the real daemon and two watched folders.

import EventLoops
import JSONText
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("pickerctl over two folders")
    struct CommandLineTests {
        private let place: TemporaryFolder
        private let daemon: DaemonUnderTest

        /// Serves `one` and `two`, which both have a `same.txt`.
        init() throws {
            place = try TemporaryFolder()
            for folder in ["one", "one/sub", "two", "elsewhere", "state", "bin"] {
                try place.makeFolder(folder)
            }
            try place.makeLink("bin/pickerctl", to: try SpawnedProcess.built("pickerctl"))
            for file in ["one/same.txt", "one/sub/a.md", "two/same.txt", "two/b.md"] {
                try place.write(file, "12345")
            }
            daemon = try DaemonUnderTest(
                [place.path("one"), place.path("two"), "--state", place.path("state")],
                socket: place.path("sock"))
            let client = try daemon.connect()
            try client.call("sync", ["timeoutMs": .integer(Int64(patienceMilliseconds))])
        }

        /// Runs lines of bash in one of the folders, with the built `pickerctl`.
        private func shell(
            in folder: String = "elsewhere", _ script: String
        ) throws -> (out: String, err: String) {
            let lines = """
                cd '\(place.path(folder))' || exit
                \(script)
                """
            let process = try SpawnedProcess(
                "/bin/bash", ["-c", lines],
                environment: [
                    "PICKERD_SOCKET": place.path("sock"),
                    "PATH": place.path("bin") + ":/usr/bin:/bin", "TZ": "UTC",
                    "HOME": place.path("state"), "one": place.path("one"), "two": place.path("two"),
                ])
            #expect(process.waitForExit() != nil, "it runs for ever")
            return (process.standardOutput, process.standardError)
        }

        @Test(
            "A path is relative to the current folder, absolute, or relative to a watched folder")
        func paths() throws {
            let found = try shell(
                in: "one/sub",
                """
                for path in a.md ./a.md ../same.txt ../../two/same.txt "$two/same.txt" b.md sub/a.md; do
                    pickerctl get --paths "$path" || echo "no $path"
                done
                ln -s "$one/sub" ../../elsewhere/link && cd ../../elsewhere/link && pickerctl get --paths a.md
                """)
            let (one, two) = (place.path("one"), place.path("two"))
            let expected = [
                "\(one)/sub/a.md", "\(one)/sub/a.md", "\(one)/same.txt", "\(two)/same.txt",
                "\(two)/same.txt", "\(two)/b.md", "\(one)/sub/a.md", "\(one)/sub/a.md",
            ]
            #expect(found.out == expected.joined(separator: "\n") + "\n")
            #expect(found.err == "")
        }

        @Test("If two watched folders contain it, both are named and nothing is done")
        func ambiguous() throws {
            let result = try shell("pickerctl like same.txt b.md; echo $?; pickerctl list is:liked")
            #expect(result.out == "1\n")
            for folder in ["one", "two"] {
                #expect(result.err.contains("'\(place.path(folder))/same.txt'"), "\(result.err)")
            }
            let here = try shell(
                in: "two", "pickerctl like same.txt; pickerctl list --paths is:liked")
            #expect(here.out == place.path("two/same.txt") + "\n" && here.err == "")
            let nobody = try shell(
                "pickerctl drop nobody; echo $?; pickerctl get /etc/passwd; echo $?")
            #expect(nobody.out == "1\n1\n")
            #expect(
                nobody.err.contains(place.path("elsewhere"))
                    && nobody.err.contains(place.path("one")))
        }

        @Test("A name that is not UTF-8 is found by its path, and printed unchanged")
        func bytes() throws {
            let result = try shell(
                in: "two",
                #"""
                name=$(printf 'x\377y.md')
                echo 1 >"$name" && pickerctl sync >/dev/null
                pickerctl get --paths "$name" | tail -c 8 | od -An -tx1
                pickerctl like "$two/$name" && pickerctl list -0 is:liked | xargs -0 cat
                """#)
            #expect(result.out == " 78 ff 79 2e 6d 64 0a\n1\n".replacing(" 78", with: " 2f 78"))
            #expect(result.err == "")
        }

        @Test(
            "list, get and feed print paths, with NUL behind them, and lines of members; watch, too"
        )
        func forms() throws {
            let form = "'{name}\\t{size}\\t{{{liked}}}'"
            let result = try shell(
                """
                pickerctl list --paths type:md
                pickerctl list -0 type:md | tr '\\0' '!'
                echo
                pickerctl list --format \(form) --sort path type:md
                pickerctl feed --format '{path}' --size 1 --sort path
                pickerctl get --format '{root}' b.md
                pickerctl list --format '{pages}'; echo $?
                pickerctl list --json --paths; echo $?
                timeout 5 pickerctl watch --paths -n 1 | head -1
                timeout 5 pickerctl watch -0 -n 1 | head -c 2
                """)
            let (one, two) = (place.path("one"), place.path("two"))
            #expect(
                result.out == """
                    \(one)/sub/a.md
                    \(two)/b.md
                    \(one)/sub/a.md!\(two)/b.md!
                    b.md\t5\t{false}
                    a.md\t5\t{false}
                    b.md
                    same.txt
                    same.txt
                    sub/a.md
                    \(two)
                    2
                    2
                    + \(one)/sub/a.md
                    +\u{20}
                    """)
            #expect(
                result.err.contains("no member '{pages}'") && result.err.contains("{absolutePath}"))
        }

        @Test("get shows the icon and the URI, and the time when the file was made if there is one")
        func details() throws {
            let result = try shell(
                """
                pickerctl get b.md | tr -s ' ' | grep -E '^(icon|uri) '
                if [ "$(stat -c %W "$two/b.md")" -gt 0 ]; then pickerctl get b.md | grep -o ^created
                else echo created; fi
                """)
            #expect(
                result.out == "icon text-markdown\nuri file://\(place.path("two/b.md"))\ncreated\n")
        }

        @Test("JSON has the root and the absolute path; people see roots if there are two")
        func roots() throws {
            let result = try shell(
                """
                pickerctl list --json name:b.md; pickerctl get --json b.md
                pickerctl feed --json name:b.md; timeout 5 pickerctl watch --json name:b.md | head -1
                pickerctl list name:same.txt sort:path; pickerctl list name:b.md
                """)
            let lines = result.out.split(separator: "\n").map { String($0) }
            try #require(lines.count == 7, "\(result)")
            for line in lines[..<4] {
                #expect(line.contains("\"root\":\"\(place.path("two"))\""))
                #expect(line.contains("\"absolutePath\":\"\(place.path("two/b.md"))\""))
            }
            #expect(lines[4].hasSuffix("  \(place.path("one"))/"))
            #expect(lines[5].hasSuffix("  \(place.path("two"))/"))
            #expect(!lines[6].contains(place.path("two")))
        }

        @Test("The row for a new document is shown with --with-new only, in every command")
        func newRow() throws {
            let count = "grep -c '\"key\"'"
            let result = try shell(
                """
                for new in '' --with-new; do
                    pickerctl list --json -n 3 $new | \(count)
                    pickerctl list -n 3 $new | wc -l
                    pickerctl list --json $new | grep -c '"new"'
                    pickerctl feed --json --size 2 --page 1 $new | \(count)
                    pickerctl feed --json --size 2 $new | \(count)
                    pickerctl layout list --json $new | grep -c '"new"'
                    timeout 5 pickerctl watch -n 2 $new | head -2 | grep -c 'new document'
                    timeout 5 pickerctl watch --json -n 2 $new | head -1 | grep -o '"total":[0-9]*'
                    timeout 5 pickerctl watch --json -n 2 $new | head -1 | grep -o '"kind":"document"' | wc -l
                done
                pickerctl feed --format '{path}' --size 2 --page 2 --sort path
                """)
            #expect(
                result.out.split(separator: "\n") == [
                    "3", "3", "0", "2", "4", "0", "0", "\"total\":4", "2",
                    "3", "3", "1", "2", "5", "1", "1", "\"total\":5", "1",
                    "same.txt", "sub/a.md",
                ], "\(result)")
        }

        @Test("Events say the root, and --exec has absolute paths")
        func events() throws {
            let result = try shell(
                in: "one",
                """
                mv same.txt "$two/moved.md" && pickerctl sync >/dev/null
                pickerctl replay documents.moved --json
                timeout 5 pickerctl events documents.moved --replay 1 -n 1 \
                    --exec 'echo $PICKERD_ROOT $PICKERD_PATH'
                """)
            let lines = result.out.split(separator: "\n").map { String($0) }
            try #require(lines.count == 2, "\(result)")
            #expect(lines[0].contains("\"root\":\"\(place.path("two"))\""))
            #expect(
                lines[0].contains("\"from\":\"same.txt\",\"fromRoot\":\"\(place.path("one"))\""))
            #expect(lines[1] == "\(place.path("two")) \(place.path("two"))/moved.md")
        }

        @Test("Dropped documents are listed by is:dropped only")
        func dropped() throws {
            let result = try shell(
                """
                pickerctl drop b.md
                pickerctl list --paths type:md; pickerctl list --format '{path} {dropped}' is:dropped
                pickerctl get b.md | grep marks; pickerctl stats is:dropped | head -1
                pickerctl restore b.md; pickerctl list is:dropped; pickerctl list --paths type:md | wc -l
                """)
            #expect(
                result.out
                    == """
                    \(place.path("one/sub/a.md"))
                    b.md true
                    marks     dropped
                    documents  1
                    2

                    """.replacing("documents  1", with: "documents       1"))
        }

        @Test("JSON escapes control characters, and decodes to the same")
        func escapes() throws {
            let result = try shell(
                in: "two",
                #"""
                touch $'c1\xc2\x9b\x7f\xe2\x80\xae.bin' && pickerctl sync >/dev/null
                pickerctl list --json type:bin
                timeout 5 pickerctl watch --json type:bin | head -1
                pickerctl replay --json documents.added
                """#)
            #expect(result.out.split(separator: "\n").count == 3)
            let isPlain = result.out.unicodeScalars.allSatisfy { $0.value < 0x7F }
            #expect(isPlain && result.out.contains(#"c1\u009b\u007f\u202e.bin"#), "\(result)")
        }
    }
}

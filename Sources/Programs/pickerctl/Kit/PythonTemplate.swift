/// A plugin in Python that tells how many lines and words a text has: a beginning that passes all checks.
struct PythonTemplate: PluginTemplate {
    /// The identifier of the plugin.
    let id: String
    /// What is in pickerd_plugin.py.
    let kit: [UInt8]

    var isBuilt: Bool { false }

    var files: [TemplateFile] {
        [
            TemplateFile("plugin.json", manifest), TemplateFile(id, program, isProgram: true),
            TemplateFile(PythonKit.name, kit),
        ]
    }

    private var manifest: String {
        """
        {
          "id": "\(id)",
          "name": "Lines and words of texts",
          "version": "0.1.0",
          "api": {"min": 1, "max": 1},
          "exec": ["./\(id)"],
          "requires": {"files": ["/usr/bin/python3"]},
          "attributes": [
            {"name": "text.lines", "type": "integer", "group": "text", "for": ["suffix", ["txt", "md"]]},
            {"name": "text.words", "type": "integer", "group": "text", "for": ["suffix", ["txt", "md"]]}
          ],
          "methods": [
            {
              "name": "\(id).count",
              "summary": "How many lines and words a text has.",
              "params": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": false
              },
              "result": {
                "type": "object",
                "properties": {"lines": {"type": "integer"}, "words": {"type": "integer"}},
                "required": ["lines", "words"]
              }
            }
          ],
          "limits": {"memoryMiB": 256, "callMs": 2000}
        }

        """
    }

    private var program: String {
        """
        #!/usr/bin/python3 -B
        \"\"\"How many lines and words a text has.

        Read pickerd_plugin.py for what a plugin can do, try this one with 'pickerctl plugin run', and check it
        with 'pickerctl plugin check'.
        \"\"\"

        from __future__ import annotations

        from typing import Any

        from pickerd_plugin import File, Plugin

        plugin = Plugin()

        #: No more is read of a file, as one may be of any size. A longer one has no attributes.
        LONGEST = 1 << 20


        def count(text: bytes) -> tuple[int, int]:
            \"\"\"Its lines and its words.\"\"\"
            return text.count(b"\\n"), len(text.split())


        @plugin.extract("text")
        def read(file: File, want: frozenset[str]) -> dict[str, Any] | None:
            \"\"\"The attributes of the group "text" of a file. An exception is the error of this file.\"\"\"
            text = file.read(LONGEST + 1)
            if len(text) > LONGEST:
                return None
            lines, words = count(text)
            return {"text.lines": lines, "text.words": words}


        @plugin.method("\(id).count")
        def answer(params: dict[str, Any]) -> dict[str, Any]:
            \"\"\"The method for clients. That the parameters are as plugin.json says was checked before.\"\"\"
            lines, words = count(params["text"].encode())
            return {"lines": lines, "words": words}


        if __name__ == "__main__":
            plugin.run()

        """
    }
}

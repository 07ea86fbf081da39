internal import JSONText
internal import PluginInterface
internal import WireProtocol

extension PendingReply {
    /// Answers with what `write` writes, or with the error that it throws.
    func answer(_ write: (inout JSONWriter) throws(ProtocolError) -> Void) {
        var result = JSONWriter()
        do throws(ProtocolError) {
            try write(&result)
        } catch {
            return fail(error)
        }
        let fragment = JSONFragment(writing: { $0.splice(result) })
        resolve { $0.fragment(fragment) }
    }
}

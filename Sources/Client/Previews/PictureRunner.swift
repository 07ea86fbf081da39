package import PickerClient
package import Picking
package import StateFeedback
package import SystemInterface

/// Makes small pictures of documents, some at a time and in the order in which they are asked for, so that the loop never
/// waits for a disk. Confined to the loop's thread.
package final class PictureRunner {
    private struct Wanted {
        let request: PreviewRequest
        let tell: (PreviewContent) -> Void
    }

    private var readers: FileReaders?
    /// Those that wait or are being read, by number. Whoever asks for them sees to their limit.
    private var wanted: [Int: Wanted] = [:]
    /// The numbers of those that wait; some of them may be wanted no more.
    private var waiting: [Int] = []
    private var count = 0

    /// - Parameter loop: Delivers the pictures.
    /// - Throws: the system's error if there is no descriptor left.
    package convenience init(on loop: PollLoop) throws(SystemError) {
        try self.init(on: loop) { $0.readPicture() }
    }

    /// - Parameters:
    ///   - loop: Delivers the pictures.
    ///   - reading: Reads one, on a thread: for tests.
    /// - Throws: the system's error if there is no descriptor left.
    package init(
        on loop: PollLoop, reading: @escaping @Sendable (FilePreview) -> FileContent
    ) throws(SystemError) {
        readers = try FileReaders(on: loop, reading) { [unowned self] in took($0, $1) }
    }

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - request: Of what, and how large.
    ///   - tell: Called once with the picture, or with `failed` if there is none; perhaps before this returns.
    /// - Returns: what ends it; `tell` is not called after that.
    package func start(
        _ request: PreviewRequest, _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        guard readers != nil else { return .none }
        count += 1
        let number = count
        wanted[number] = Wanted(request: request, tell: tell)
        waiting.append(number)
        begin()
        return Cancellation { [weak self] in self?.wanted[number] = nil }
    }

    /// Lets the threads end, without waiting for them. Nothing is told any more.
    package func close() {
        readers?.close()
        readers = nil
        wanted = [:]
        waiting = []
    }

    /// Has those read that wait, as far as there are threads.
    private func begin() {
        waiting.removeAll { wanted[$0] == nil }
        while let number = waiting.first {
            // To tell one may have ended others.
            guard let next = wanted[number] else {
                waiting.removeFirst()
                continue
            }
            do throws(SystemError) {
                let preview = FilePreview(of: next.request)
                guard try readers?.read(preview, number: number) == true else { return }
                waiting.removeFirst()
            } catch {
                waiting.removeFirst()
                wanted[number] = nil
                next.tell(.failed("It can't be read now: \(error)"))
            }
        }
    }

    private func took(_ number: Int, _ file: FileContent) {
        wanted.removeValue(forKey: number)?.tell(file.content)
        begin()
    }
}

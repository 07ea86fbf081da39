internal import Database
package import PickerModel
package import StateFolder
internal import SystemInterface

/// What was read of files, in a database of the user's folder for caches: so that nothing is read twice, whatever is
/// renamed or started again.
///
/// A thread is its only user. It is not needed: without it, or after an error, all is read anew. Names of files are not in
/// it, nor what they contain but for the values.
package final class AttributeCache: Sendable {
    /// What the thread has to say.
    package enum Answer: Sendable {
        /// What is known of the files of a question, in their order.
        case found(question: Int, FoundReadings)
        /// Something to be told to people. `isOver` is whether nothing is stored or known any more.
        case fault(String, isOver: Bool)
    }

    private enum Task: Sendable {
        case find(question: Int, Question)
        case put(Extractor, [(file: FileVersion, reading: CachedReading)], today: Int64)
        case forget(Extractor, [FileVersion]?)
        case finish
    }

    private struct Question: Sendable {
        let extractor: Extractor
        let files: [FileVersion]
        let attributes: [(name: String, kind: Attribute.Kind)]
        let today: Int64
    }

    package static let fileName = "attributes.sqlite"
    /// The most questions and batches that wait.
    private static let mostWaiting = 64

    private let worker: Worker<Task, Answer>

    /// Starts the thread, which opens the database in the folder at `path`.
    package init(
        at path: String, answer: @escaping @Sendable (Answer) -> Void
    ) throws(StorageError) {
        do throws(SystemError) {
            worker = try Worker(limit: Self.mostWaiting, isBackground: true, answer: answer) {
                desk in
                var clerk = Clerk(path: path)
                clerk.run(desk)
            }
        } catch { throw .system(error) }
    }

    /// Asks what is known of files: their values of some attributes. `today` is a number of days since 1970.
    /// - Returns: false if too much waits.
    package func find(
        question: Int, _ extractor: Extractor, _ files: [FileVersion],
        _ attributes: [(name: String, kind: Attribute.Kind)], today: Int64
    ) -> Bool {
        worker.post(
            .find(
                question: question,
                Question(
                    extractor: extractor, files: files, attributes: attributes, today: today)))
    }

    /// Stores what was read, unless too much waits: it is then read again another time.
    /// - Returns: false if too much waits.
    @discardableResult
    package func put(
        _ extractor: Extractor, _ readings: [(file: FileVersion, reading: CachedReading)],
        today: Int64
    ) -> Bool {
        worker.post(.put(extractor, readings, today: today))
    }

    /// Forgets what was read of files, or all values of a reader: not which files can't be read then.
    /// - Returns: false if too much waits.
    package func forget(_ extractor: Extractor, _ files: [FileVersion]?) -> Bool {
        worker.post(.forget(extractor, files))
    }

    /// Ends the thread, once it has stored what waits, for so long at most.
    package func finish(within milliseconds: Int32) {
        _ = worker.ask(.finish, within: milliseconds)
    }
}

// MARK: - On the thread

extension AttributeCache {
    private struct Clerk: ~Copyable {
        let path: String
        private var today: Int64 = 0
        private var folder: DiskFolder?
        private var table: ReadingTable?
        private var isOver = false
        /// How long nothing is removed of what is to be forgotten, after an error.
        private static let errorPause: Int32 = 1000
        /// How long it waits for what it is asked, in milliseconds; nil if there is nothing else to do.
        private var patience: Int32?

        init(path: String) {
            self.path = path
        }

        mutating func run(_ desk: Worker<Task, Answer>.Desk) {
            open(desk)
            patience = table?.isForgetting == true ? 0 : nil
            while true {
                let task = desk.next(within: patience)
                switch task {
                case .find(let number, let question)?:
                    desk.answer(.found(question: number, find(question, desk)))
                case .put(let extractor, let readings, let today)?:
                    note(today)
                    put(extractor, readings, desk)
                case .forget(let extractor, let files)?: forget(extractor, files, desk)
                case .finish?:
                    table = nil
                    folder = nil
                    // What is asked from now on is refused.
                    _ = desk.close()
                    desk.answer(.found(question: 0, FoundReadings(files: 0, attributes: 0)))
                    return
                case nil: break
                }
                // In pieces between what it is asked, so that nothing waits for long.
                if task == nil || patience != Self.errorPause { forgetSome(desk) }
            }
        }

        private mutating func open(_ desk: Worker<Task, Answer>.Desk) {
            do throws(StorageError) {
                folder = try DiskFolder(at: path)
            } catch {
                return giveUp("\(error)", desk)
            }
            do throws(SQLiteError) {
                table = try makeTable()
            } catch {
                guard error.isDamage else { return giveUp(error.description, desk) }
                setAside(error, desk)
            }
        }

        private func makeTable() throws(SQLiteError) -> ReadingTable {
            try .open(at: path + "/" + AttributeCache.fileName, today: today)
        }

        private mutating func setAside(
            _ error: SQLiteError, _ desk: Worker<Task, Answer>.Desk
        ) {
            table = nil
            let name = AttributeCache.fileName
            try? folder?.rename(name, to: name + ".damaged")
            for suffix in ["-wal", "-shm"] { try? folder?.remove(name + suffix) }
            do throws(SQLiteError) {
                table = try makeTable()
                desk.tell(
                    .fault(
                        "the cache of attributes '\(path)/\(name)' was damaged (\(error.description)), "
                            + "and is begun anew; the old one is '\(name).damaged'", isOver: false))
            } catch {
                giveUp(error.description, desk)
            }
        }

        private mutating func giveUp(_ reason: String, _ desk: Worker<Task, Answer>.Desk) {
            table = nil
            if isOver { return }
            isOver = true
            desk.tell(
                .fault(
                    "the cache of attributes in '\(path)' can't be used: \(reason); attributes are read "
                        + "from files each time", isOver: true))
        }

        /// It may be another day than when the database was opened.
        private mutating func note(_ today: Int64) {
            self.today = today
            table?.today = today
        }

        private mutating func find(
            _ question: Question, _ desk: Worker<Task, Answer>.Desk
        ) -> FoundReadings {
            note(question.today)
            do throws(SQLiteError) {
                if let found = try table?.readings(
                    by: question.extractor, of: question.files, question.attributes)
                {
                    return found
                }
            } catch {
                failed(error, desk)
            }
            return FoundReadings(
                files: question.files.count, attributes: question.attributes.count)
        }

        private mutating func put(
            _ extractor: Extractor, _ readings: [(file: FileVersion, reading: CachedReading)],
            _ desk: Worker<Task, Answer>.Desk
        ) {
            do throws(SQLiteError) {
                try table?.put(readings, by: extractor)
            } catch {
                failed(error, desk)
            }
        }

        private mutating func forget(
            _ extractor: Extractor, _ files: [FileVersion]?, _ desk: Worker<Task, Answer>.Desk
        ) {
            do throws(SQLiteError) {
                try table?.forget(files, by: extractor)
            } catch {
                failed(error, desk)
            }
        }

        private mutating func forgetSome(_ desk: Worker<Task, Answer>.Desk) {
            do throws(SQLiteError) {
                if let table, table.isForgetting { try table.forgetSome() }
                patience = table?.isForgetting == true ? 0 : nil
            } catch {
                failed(error, desk)
                patience = table?.isForgetting == true ? Self.errorPause : nil
            }
        }

        private mutating func failed(_ error: SQLiteError, _ desk: Worker<Task, Answer>.Desk) {
            if error.isDamage {
                setAside(error, desk)
            } else if !error.isFull, !error.isBusy {
                giveUp(error.description, desk)
            }
        }
    }
}

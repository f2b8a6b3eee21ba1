// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies

/// An event stream of a simulated instance that responds to queries.
struct EventReader {
    var filter: EventDirectoryFilter
    var knowledge = EventSessionIndex()
    /// The instance's responses about sessions and its project. A session without an entry does not exist.
    var sessions: [String: String] = [:]
    var project: String?
    /// The directories that other threads have published, read when the reader waits for them.
    var updatedScope: DirectoryScope?
    /// Whether the instance does not respond.
    var isSilent = false
    var passed: [UInt8] = []
    var asked: [String] = []

    init(_ scope: DirectoryScope, limit: Int = 1 << 20) {
        filter = EventDirectoryFilter(scope: scope, limit: limit)
    }

    mutating func read(_ text: String, answering: Bool = true) { read(Array(text.utf8), answering: answering) }

    mutating func read(_ bytes: [UInt8], answering: Bool = true) {
        filter.filter(bytes.span, &knowledge) { [self] span in keep(span) }
        flush()
        while answering, let question = filter.query { answer(question) }
    }

    // The closure above cannot change the value on which it is called.
    private final class Kept { var bytes: [UInt8] = [] }
    private let kept = Kept()

    private func keep(_ span: borrowing Span<UInt8>) {
        for index in span.indices { kept.bytes.append(span[index]) }
    }

    private mutating func flush() {
        passed += kept.bytes
        kept.bytes = []
    }

    mutating func answer(_ question: EventSessionIndex.Query) {
        switch question {
        case .updates:
            asked.append("news")
            knowledge.hasPendingUpdates = false
            if let updatedScope { filter.scope = updatedScope }
        case .session(let id):
            let text = String(decoding: id, as: UTF8.self)
            asked.append(text)
            if isSilent { break }
            if let directory = sessions[text] {
                knowledge.sessions.record(id, Array(directory.utf8))
            } else {
                knowledge.sessions.recordMissing(id)
            }
        case .project:
            asked.append("project")
            knowledge.project = project.map { Array($0.utf8) }
        }
        filter.resume(&knowledge) { [self] span in keep(span) }
        flush()
    }

    mutating func finish() {
        filter.finish(&knowledge) { [self] span in keep(span) }
        flush()
    }

    var text: String { String(decoding: passed, as: UTF8.self) }
}

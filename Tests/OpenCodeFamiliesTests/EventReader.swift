// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies

/// An event stream of a simulated instance that responds to queries.
struct EventReader {
    var filter: EventDirectoryFilter
    var sessionIndex = EventSessionIndex()
    /// The instance's responses about sessions and its project. A session without an entry does not exist.
    var sessions: [String: String] = [:]
    var project: String?
    /// The directories that other threads have published, read when the reader waits for them.
    var updatedScope: DirectoryScope?
    /// Whether the instance does not respond.
    var isSilent = false
    var passed: [UInt8] = []
    var queries: [String] = []

    init(_ scope: DirectoryScope, limit: Int = 1 << 20) {
        filter = EventDirectoryFilter(scope: scope, limit: limit)
    }

    mutating func process(_ text: String, answering: Bool = true) { process(Array(text.utf8), answering: answering) }

    mutating func process(_ bytes: [UInt8], answering: Bool = true) {
        filter.filter(bytes.span, &sessionIndex) { [self] span in append(span) }
        flush()
        while answering, let query = filter.query { answer(query) }
    }

    // The closure above cannot change the value on which it is called.
    private final class Output { var bytes: [UInt8] = [] }
    private let output = Output()

    private func append(_ span: borrowing Span<UInt8>) {
        for index in span.indices { output.bytes.append(span[index]) }
    }

    private mutating func flush() {
        passed += output.bytes
        output.bytes = []
    }

    mutating func answer(_ query: EventSessionIndex.Query) {
        switch query {
        case .updates:
            queries.append("news")
            sessionIndex.hasPendingUpdates = false
            if let updatedScope { filter.scope = updatedScope }
        case .session(let id):
            let text = String(decoding: id, as: UTF8.self)
            queries.append(text)
            if isSilent { break }
            if let directory = sessions[text] {
                sessionIndex.sessions.record(id, Array(directory.utf8))
            } else {
                sessionIndex.sessions.recordMissing(id)
            }
        case .project:
            queries.append("project")
            sessionIndex.project = project.map { Array($0.utf8) }
        }
        filter.resume(&sessionIndex) { [self] span in append(span) }
        flush()
    }

    mutating func finish() {
        filter.finish(&sessionIndex) { [self] span in append(span) }
        flush()
    }

    var text: String { String(decoding: passed, as: UTF8.self) }
}

// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import JSONText

extension StoredAuditEntry {
    /// The entry as a JSON object.
    package var json: JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        func number(_ value: Int64?) -> JSON { value.map { .number(Number($0)) } ?? .null }
        let (nanoseconds, isTooLarge) = time.multipliedReportingOverflow(by: 1_000_000)
        let timeText = Timestamp.utc(isTooLarge ? 0 : nanoseconds, withMilliseconds: true)
        return .object(
            JSONObject([
                .init("id", number(id)), .init("time", .string(timeText)), .init("key_id", text(keyID)),
                .init("key", text(key)), .init("address", text(address)), .init("project", text(project)),
                .init("action", .string(action)), .init("route", text(route)),
                .init("subject_id", text(subjectID)), .init("subject", text(subject)),
                .init("choice", text(choice)), .init("waited_ms", number(waited)),
                .init("result", text(result)), .init("count", number(count)),
            ]))
    }
}

/// A page of the audit log.
package struct AuditPage: Sendable {
    /// The entries, the newest first.
    package let entries: [StoredAuditEntry]
    /// The value of `before` for the next page; nil if there is none.
    package let next: Int64?
    /// The number of entries that were lost since the gateway started.
    package let lost: Int

    /// Creates a page of the entries that a query has selected.
    package init(_ entries: [StoredAuditEntry], of query: AuditQuery, lost: Int) {
        self.entries = entries
        next = entries.count < query.limit ? nil : entries.last?.id
        self.lost = lost
    }

    /// The page as a JSON object.
    package var json: JSON {
        [
            "entries": .array(entries.map(\.json)), "next": next.map { .number(Number($0)) } ?? .null,
            "lost": .number(Number(lost)),
        ]
    }
}

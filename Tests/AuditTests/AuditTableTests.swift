// SPDX-License-Identifier: Apache-2.0

import JSONText
import TestKit
import Testing

@testable import Audit
@testable import Storage

/// Tests the tables of the audit log.
@Suite struct AuditTableTests {
    private let directory: TemporaryDirectory
    private let connection: Connection
    private var limits = AuditLimits(time: .seconds(86_400))
    /// A time in milliseconds since 1970.
    private static let now: Int64 = 1_795_381_944_461

    init() throws {
        directory = try TemporaryDirectory()
        connection = try StateFile.audit(in: "\(directory.path)/state").openForWriting()
    }

    private func add(_ entries: AuditEntry..., at now: Int64 = now) throws {
        for entry in entries { try AuditTable.add(entry, limits, at: now, connection) }
    }

    private func entries(_ change: (inout AuditQuery) -> Void = { _ in }) throws -> [StoredAuditEntry] {
        var query = AuditQuery()
        change(&query)
        return try AuditTable.entries(query, connection)
    }

    private static func entry(
        _ action: AuditAction, by name: String = "phone", project: String? = "demo", at time: Int64 = now
    ) -> AuditEntry {
        AuditEntry(
            time: time, action, by: AuditEntry.Key(id: "id of \(name)", name: name), from: "192.0.2.1",
            project: project, result: .status(200))
    }

    @Test func `an entry is stored with all of its values`() throws {
        var entry = Self.entry(.permission)
        entry.route = "POST /permission/{requestID}/reply"
        entry.subject = AuditEntry.Key(id: "0123456789", name: "tablet")
        entry.choice = "once"
        entry.waited = 1_500
        entry.count = 3
        try add(entry)
        let json = try #require(try entries().first).json

        #expect(
            String(decoding: json.bytes, as: UTF8.self) == """
                {"id":1,"time":"2026-11-22T21:12:24.461Z","key_id":"id of phone","key":"phone","address":"192.0.2.1",\
                "project":"demo","action":"permission","route":"POST /permission/{requestID}/reply",\
                "subject_id":"0123456789","subject":"tablet","choice":"once","waited_ms":1500,"result":"200","count":3}
                """)
    }

    @Test func `an action without a response is recognisable`() throws {
        var entry = Self.entry(.prompt)
        entry.result = AuditResult(0)
        try add(entry)

        #expect(try entries().map(\.result) == ["no response"])
    }

    // MARK: Queries

    @Test func `the entries of both kinds are one sequence, the newest first`() throws {
        try add(Self.entry(.prompt), Self.entry(.refused), Self.entry(.abort), Self.entry(.refused))

        #expect(try entries().map(\.action) == ["refused", "abort", "refused", "prompt"])
        #expect(try entries().map(\.id) == [4, 3, 2, 1])
    }

    @Test func `a page ends before the entry that the query names`() throws {
        for _ in 1...5 { try add(Self.entry(.prompt), Self.entry(.refused)) }

        var found: [Int64] = []
        var before: Int64?
        repeat {
            var query = AuditQuery()
            query.limit = 3
            query.before = before
            let page = AuditPage(try AuditTable.entries(query, connection), of: query, lost: 0)
            #expect(page.entries.count <= 3)
            found += page.entries.map(\.id)
            before = page.next
        } while before != nil

        #expect(found == Array((1...10).reversed()))
    }

    @Test func `a query selects entries by key, project and time`() throws {
        var created = Self.entry(.keyCreated, by: "admin", project: nil)
        created.subject = AuditEntry.Key(id: "id of phone", name: "phone")
        try add(
            created, Self.entry(.prompt), Self.entry(.abort, by: "tablet"), Self.entry(.stop, project: "shop"),
            Self.entry(.start, at: Self.now - 10_000), Self.entry(.refused, by: "tablet"))

        #expect(
            try entries { $0.key = "phone" }.map(\.action) == ["start", "stop", "prompt", "key_created"])
        #expect(try entries { $0.key = "id of phone" }.count == 4)
        #expect(try entries { $0.key = "tablet" }.map(\.action) == ["refused", "abort"])
        #expect(try entries { $0.project = "shop" }.map(\.action) == ["stop"])
        #expect(try entries { $0.since = Self.now }.count == 5)
        #expect(try entries { $0.since = Self.now - 10_000 }.count == 6)
        #expect(try entries { $0.limit = 2 }.map(\.action) == ["refused", "start"])
    }

    @Test func `a caller for some projects sees their entries and those of keys for these projects`() throws {
        func key(_ name: String, _ projects: Set<String>?) -> AuditEntry.Key {
            AuditEntry.Key(id: nil, name: name, projects: projects)
        }
        var created = AuditEntry(time: Self.now, .keyCreated, by: key("admin", nil))
        created.subject = key("shop's", ["shop"])
        var foreign = AuditEntry(time: Self.now, .keyCreated, by: key("shop's", ["shop"]))
        foreign.subject = key("both", ["shop", "demo"])
        try add(
            created, foreign, AuditEntry(time: Self.now, .prompt, by: key("all", nil), project: "shop"),
            AuditEntry(time: Self.now, .prompt, by: key("all", nil), project: "demo"),
            AuditEntry(time: Self.now, .refused, by: key("shop's", ["shop"])),
            AuditEntry(time: Self.now, .refused, by: key("all", nil)), AuditEntry(time: Self.now, .omitted))

        #expect(try entries { $0.visibleProjects = ["shop"] }.map(\.id) == [5, 3, 1])
        #expect(try entries { $0.visibleProjects = ["demo"] }.map(\.id) == [4])
        #expect(try entries { $0.visibleProjects = ["shop", "demo"] }.map(\.id) == [5, 4, 3, 2, 1])
        #expect(try entries().count == 7)
        // The filters do not widen what the caller sees.
        #expect(try entries { ($0.visibleProjects, $0.key) = (["shop"], "all") }.map(\.id) == [3])
    }

    // MARK: Removal

    @Test func `entries that are too old are removed`() throws {
        let old = Self.now - 86_400_001
        try add(Self.entry(.prompt, at: old), Self.entry(.refused, at: old), Self.entry(.prompt), Self.entry(.refused))
        try AuditTable.prune(limits, at: Self.now, connection)

        #expect(try entries().map(\.id) == [4, 3])
    }

    @Test func `the limits are checked while entries are added`() throws {
        try add(Self.entry(.prompt, at: 0))
        for _ in 2...63 { try add(Self.entry(.prompt)) }

        #expect(try entries { $0.limit = 1_000 }.count == 63)

        try add(Self.entry(.prompt))

        #expect(try entries { $0.limit = 1_000 }.last?.id == 2)
    }

    @Test mutating func `the file does not exceed its size, and the oldest entries are removed first`() throws {
        limits.bytes = 512 << 10
        try connection.transaction { () throws(StorageError) in
            for _ in 1...20_000 { try AuditTable.add(Self.entry(.prompt), limits, at: Self.now, connection) }
        }
        let kept = try AuditTable.entries(AuditQuery(), connection)

        let pages = try connection.number("PRAGMA page_count") * connection.number("PRAGMA page_size")
        #expect(pages <= limits.bytes)
        #expect(try connection.number("SELECT max(id) FROM entry") == 20_000)
        #expect(try connection.number("SELECT max(id) - min(id) + 1 - count(*) FROM entry") == 0)
        // Most of the file contains entries.
        #expect(try connection.number("SELECT count(*) FROM entry") > 2_000)
        #expect(kept.first?.id == 20_000)
    }

    @Test mutating func `refusals displace neither actions nor each other beyond their share`() throws {
        limits.bytes = 512 << 10
        limits.refusals = 500
        for _ in 1...200 { try add(Self.entry(.prompt)) }
        try connection.transaction { () throws(StorageError) in
            for _ in 1...20_000 { try AuditTable.add(Self.entry(.refused), limits, at: Self.now, connection) }
        }

        #expect(try connection.number("SELECT count(*) FROM entry") == 200)
        #expect((500..<(500 + 64)).contains(try connection.number("SELECT count(*) FROM refusal")))

        try connection.transaction { () throws(StorageError) in
            for _ in 1...20_000 { try AuditTable.add(Self.entry(.prompt), limits, at: Self.now, connection) }
        }

        #expect((500..<(500 + 64)).contains(try connection.number("SELECT count(*) FROM refusal")))
    }

    @Test mutating func `a refusal does not contain a long list of projects`() throws {
        let projects = Set((1...100).map { "a project with a long name \($0)" })
        let key = AuditEntry.Key(id: nil, name: "many", projects: projects)
        try add(AuditEntry(time: Self.now, .refused, by: key), AuditEntry(time: Self.now, .keyFirstUsed, by: key))

        #expect(try connection.number("SELECT count(key_projects) FROM refusal") == 0)
        #expect(try connection.number("SELECT count(key_projects) FROM entry") == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Audit
import AuditServing
import JSONText
import Locking
import Logging
import TestKit
import Testing

@testable import Storage

/// Tests the service that writes the audit log.
@Suite struct AuditServiceTests {
    private final class Lines: LogSink {
        private let records = Locked<[LogRecord]>([])

        func write(_ record: LogRecord) { records.withLock { $0.append(record) } }

        /// The messages, each with the value of the field `count`.
        var messages: [String] {
            records.withLock { records in
                records.map { record in
                    guard case .integer(let count)? = record.fields.first(where: { $0.name == "count" })?.value else {
                        return record.message
                    }
                    return "\(record.message) \(count)"
                }
            }
        }
    }

    private let directory: TemporaryDirectory
    private let lines = Lines()
    private var file: StateFile { StateFile.audit(in: "\(directory.path)/state") }

    init() throws { directory = try TemporaryDirectory() }

    private func service(queueLimit: Int = Store.defaultLimit) -> AuditService {
        AuditService(
            file, limits: AuditLimits(time: .seconds(86_400)), queueLimit: queueLimit,
            log: Logger(sink: lines, level: .info), delay: { _, _ in })
    }

    private static var entry: AuditEntry {
        AuditEntry(time: 1_795_381_944_461, .prompt, by: AuditEntry.Key(id: nil, name: "phone"), result: .status(200))
    }

    private static var all: AuditQuery {
        var query = AuditQuery()
        query.limit = 1_000
        return query
    }

    private static func actions(_ page: AuditPage) -> [String] {
        page.json["entries"]?.array?.compactMap { $0["action"]?.text }.reversed() ?? []
    }

    @Test func `a page contains the entries that were recorded before`() async throws {
        let service = service()
        for _ in 1...3 { service.record(Self.entry) }

        #expect(try await service.page(Self.all).entries.map(\.id) == [3, 2, 1])

        service.close()

        #expect(try await self.service().page(Self.all).entries.count == 3)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a full queue drops entries without waiting, counts them and reports them`() async throws {
        let service = service(queueLimit: 4_096)
        service.record(Self.entry)
        _ = try await service.page(Self.all)
        let blocker = try Connection(file.path, for: .writing)
        try blocker.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        for _ in 1...1_000 { service.record(Self.entry) }

        #expect(ContinuousClock.now - start < .milliseconds(500))

        try blocker.execute("COMMIT")
        var page = try await service.page(Self.all)
        // The writer reports lost entries a moment after the commit.
        while page.lost == 0 { page = try await service.page(Self.all) }

        #expect(page.entries.count + page.lost == 1_001)
        #expect((2...20).contains(page.entries.count))
        #expect(lines.messages.contains { $0.hasPrefix("entries of the audit log were lost") })

        service.record(Self.entry)
        let next = try await service.page(Self.all)

        #expect(Self.actions(next).suffix(2) == ["omitted", "prompt"])
        #expect(next.entries.first { $0.json["action"] == "omitted" }?.json["count"]?.number?.integer == page.lost)
    }

    @Test func `a database that cannot be opened is reported, and its entries count as lost`() async throws {
        try directory.makeDirectory("state")
        _ = try directory.write(String(repeating: "no database ", count: 500), to: "state/audit.db", mode: 0o600)
        let service = service()
        service.record(Self.entry)

        #expect(lines.messages == ["cannot open the audit log, so actions are not recorded"])
        await #expect(throws: StorageError.self) { try await service.page(Self.all) }
        service.close()
    }

    @Test func `a shorter time removes entries at once`() async throws {
        let service = service()
        service.record(Self.entry)
        _ = try await service.page(Self.all)
        service.follow(keep: .seconds(3_600))

        #expect(try await service.page(Self.all).entries.isEmpty)
    }

    @Test func `omitted refusals are recorded as one entry when the service ends`() async throws {
        let service = service()
        let admitted = (1...30).count { _ in service.admitsRefusal(of: nil, isOfKey: false) }

        #expect(admitted == 20)

        service.close()

        #expect(lines.messages == ["entries about refused requests omitted from the audit log 10"])
        #expect(try await Self.actions(self.service().page(Self.all)) == ["refusals_omitted"])
    }
}

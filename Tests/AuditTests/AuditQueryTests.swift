// SPDX-License-Identifier: Apache-2.0

import Audit
import Testing

/// Tests the parameters of a query for entries.
@Suite struct AuditQueryTests {
    private static let now: Int64 = 1_795_381_944_461

    private static func query(
        _ values: [AuditQuery.Name: String]
    ) throws(AuditQuery.InvalidValue) -> AuditQuery { try AuditQuery(at: now) { values[$0] } }

    @Test func `a query without parameters selects the newest entries`() throws {
        #expect(try Self.query([:]) == AuditQuery())
        #expect(AuditQuery().limit == 100)
    }

    @Test func `each parameter has a value`() throws {
        let query = try Self.query([.key: "phone", .project: "demo", .since: "1d", .limit: "1000", .before: "17"])

        #expect(query.key == "phone")
        #expect(query.project == "demo")
        #expect(query.since == Self.now - 86_400_000)
        #expect(query.limit == 1_000)
        #expect(query.before == 17)
        #expect(query.visibleProjects == nil)
    }

    @Test func `a time can be absolute`() throws {
        #expect(try Self.query([.since: "2026-11-22T21:12:24.461Z"]).since == Self.now)
    }

    @Test(
        arguments: [
            (.since, "1"), (.since, "yesterday"), (.since, ""), (.since, "-1d"), (.since, "1w"), (.limit, "0"),
            (.limit, "1001"), (.limit, "many"), (.before, "x"), (.before, ""),
        ] as [(AuditQuery.Name, String)])
    func `an invalid value is refused with its parameter`(name: AuditQuery.Name, value: String) throws {
        let error = try #require(throws: AuditQuery.InvalidValue.self) { try Self.query([name: value]) }

        #expect(error.name == name)
        #expect(!error.advice.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The scopes of OpenCode's routes")
struct ScopeRouteTests {
    private static func route(_ operation: RecordedDocuments.Operation) -> ScopeRoute? {
        ScopeRoute.all.first { route in
            route.method.rawValue == operation.method && route.template == operation.path
                && operation.family.map(route.families.contains) == true
        }
    }

    @Test func `the scopes are in order, and each includes the scopes before it`() {
        #expect(Scope.allCases == [.read, .answer, .write, .run, .admin])
        #expect(Scope.allCases.sorted() == Scope.allCases)
        #expect(Scope.allCases.map(\.description) == ["read", "answer", "write", "run", "admin"])
        #expect(Scope.allCases.allSatisfy { Scope(rawValue: "\($0)") == $0 })
    }

    @Test(arguments: RecordedDocuments.counts.keys.sorted())
    func `each operation of a recorded version is in the table`(version: String) throws {
        let operations = try RecordedDocuments.operations().filter { $0.version == version }

        #expect(operations.count == RecordedDocuments.counts[version])

        let missing = operations.filter { Self.route($0) == nil }

        #expect(missing == [])
    }

    @Test(arguments: RecordedDocuments.counts.keys.sorted())
    func `the scope of each operation is determined by its own route`(version: String) throws {
        for operation in try RecordedDocuments.operations() where operation.version == version {
            let judgement = RouteJudgement(
                operation.method, Array(operation.target.utf8)[...], for: operation.family)

            #expect(judgement.route == Self.route(operation), "\(operation)")
            #expect(judgement.scope == Self.route(operation)?.scope, "\(operation)")
            #expect(!judgement.isPairing, "\(operation)")
        }
    }

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: RecordedDocuments.counts.keys.sorted())
    func `the list of routes contains exactly the operations of the document`(version: String) throws {
        let listed = try RecordedDocuments.operations().filter { $0.version == version }
        let document = try RecordedDocuments.document(version).operations

        #expect(document.count == RecordedDocuments.counts[version])
        #expect(Set(listed) == document)
    }

    @Test func `each route of the table is in a document of its family, except the undocumented ones`() throws {
        let operations = try RecordedDocuments.operations()
        let undocumented: Set = [
            "GET /doc", "GET /openapi.json", "GET /", "GET /assets/*", "GET /_assets/*", "POST /api/pair",
            "GET /auth/connect/{code}",
        ]
        var found: Set<String> = []

        for route in ScopeRoute.all {
            let row = "\(route.method.rawValue) \(route.template)"
            for family in route.families where !undocumented.contains(row) {
                let isRecorded = operations.contains {
                    $0.family == family && $0.method == route.method.rawValue && $0.path == route.template
                }
                // OpenCode 2.0.3 to 2.0.10 have this route, but 2.0.15 does not (`HealthPath`).
                let isHealth = row == "GET \(HealthPath.health.rawValue)" && family == .two
                #expect(isRecorded || isHealth, "\(row) of OpenCode \(family.rawValue)")
            }
            #expect(found.insert(row).inserted, "\(row) is in the table twice")
        }

        #expect(undocumented.isSubset(of: found))
    }

    @Test func `the number of operations for each scope is known`() throws {
        var counts: [String: [Scope: Int]] = [:]

        for operation in try RecordedDocuments.operations() {
            guard let scope = Self.route(operation)?.scope else { continue }
            counts[operation.version, default: [:]][scope, default: 0] += 1
        }

        #expect(counts == Self.scopeCounts)
    }

    private static let scopeCounts: [String: [Scope: Int]] = [
        "1.0.223": [.read: 31, .answer: 1, .write: 26, .run: 26],
        "1.1.11": [.read: 34, .answer: 4, .write: 27, .run: 27],
        "1.2.27": [.read: 38, .answer: 4, .write: 28, .run: 34],
        "1.18.3": [.read: 75, .answer: 7, .write: 44, .run: 62],
        "1.18.33": [.read: 75, .answer: 7, .write: 44, .run: 62],
        "2.0.15": [.read: 51, .answer: 3, .write: 32, .run: 50],
    ]

    @Test func `a route with a scope below write changes no data or replies to a permission request or a question`() {
        for route in ScopeRoute.all where route.scope < .write {
            let isWaiting = route.template.hasSuffix("/wait")
            switch route.content {
            case .reply: #expect(route.scope == .answer)
            default: #expect(route.scope == .read && (route.method == .get || isWaiting), "\(route.template)")
            }
        }
    }

    @Test(
        arguments: [
            ("GET", "/session", .read), ("GET", "/event", .read), ("GET", "/config/providers", .read),
            ("POST", "/permission/per_1/reply", .answer), ("POST", "/question/que_1/reject", .answer),
            ("POST", "/session/ses_1/permissions/per_1", .answer), ("POST", "/session", .write),
            ("POST", "/session/ses_1/message", .write), ("POST", "/session/ses_1/abort", .write),
            ("GET", "/file/content", .write), ("GET", "/find", .write), ("GET", "/file", .read),
            ("POST", "/session/ses_1/shell", .run), ("GET", "/pty/pty_1/connect", .run), ("GET", "/pty", .run),
            ("PUT", "/auth/openai", .run), ("PATCH", "/config", .run), ("POST", "/mcp", .run),
            ("POST", "/instance/dispose", .run), ("POST", "/log", .run), ("GET", "/tui/control/next", .run),
            ("POST", "/experimental/worktree", .run), ("POST", "/sync/history", .run),
        ] as [(String, String, Scope)])
    func `a route of OpenCode 1 needs the scope in the table`(method: String, path: String, scope: Scope) {
        #expect(RouteJudgement(method, Array(path.utf8)[...], for: .one).scope == scope)
    }

    @Test(
        arguments: [
            ("GET", "/api/session", .read), ("GET", "/api/config", .read), ("GET", "/api/shell", .read),
            ("POST", "/api/session/ses_1/permission/per_1/reply", .answer),
            ("POST", "/api/session/ses_1/form/frm_1/reply", .answer),
            ("DELETE", "/api/session/ses_1/form/frm_1", .answer), ("POST", "/api/session/ses_1/form", .write),
            ("POST", "/api/session/ses_1/prompt", .write), ("GET", "/api/fs/read/a/b.txt", .write),
            ("GET", "/api/fs/list", .write), ("POST", "/api/experimental/fs/write", .write),
            ("POST", "/api/shell", .run), ("GET", "/api/shell/sh_1/output", .run),
            ("PUT", "/api/session/ses_1/environment", .run), ("POST", "/api/rpc/x/y", .run),
            ("GET", "/api/pty/pty_1/connect", .run), ("POST", "/api/location/reload", .run),
        ] as [(String, String, Scope)])
    func `a route of OpenCode 2 needs the scope in the table`(method: String, path: String, scope: Scope) {
        #expect(RouteJudgement(method, Array(path.utf8)[...], for: .two).scope == scope)
    }
}

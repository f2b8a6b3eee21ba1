// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

@Suite("Requests that are answered at the end of a turn")
struct TurnRoutesTests {
    /// A route from a server's own description (`scripts/list-routes.py`).
    private struct Route {
        let version: String
        let method: String
        let path: String

        /// A target for the route, with a value for each identifier.
        var target: String {
            path.replacing(#/\{\w+\}/#, with: "ses_e03ff19f9ffekCFC30SpMUdlw5").replacing("*", with: "a/b")
        }
    }

    private static func routes() throws -> [Route] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appending(path: "Fixtures/opencode/routes.tsv"), encoding: .utf8)
        return text.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Route(version: columns[0], method: columns[1], path: columns[2])
        }
    }

    private static let one = Set(
        ["message", "command", "shell", "summarize", "init"].map { "/session/{sessionID}/\($0)" })
    private static let late = one.union(["/api/session/{sessionID}/wait"])
    private static let expected: [String: Set<String>] = [
        "1.0.223": one, "1.1.11": one, "1.2.27": one, "1.18.3": late, "1.18.33": late,
        "2.0.15": [
            "/api/experimental/session/{sessionID}/wait", "/api/session/{sessionID}/generate",
            "/api/experimental/generate", "/api/session/{sessionID}/shell",
        ],
    ]

    /// The requests for a session or a model that respond immediately, as recorded. A new route of this kind must be
    /// either in this set or in `expected`.
    private static let atOnce: Set<String> = [
        "/session/{sessionID}/prompt_async", "/api/session/{sessionID}/prompt", "/api/session/{sessionID}/command",
        "/api/session/{sessionID}/compact", "/api/session/{sessionID}/synthetic",
        "/api/experimental/session/{sessionID}/skill", "/api/shell", "/tui/append-prompt", "/tui/submit-prompt",
        "/tui/clear-prompt", "/tui/execute-command", "/api/integration/{integrationID}/connect/command",
        "/project/git/init", "/experimental/project/{projectID}/copy/generate-name",
    ]

    private static func contains(_ method: String, _ target: String) -> Bool {
        TurnRoutes.contains(method, Array(target.utf8)[...])
    }

    @Test(arguments: expected.keys.sorted())
    func `exactly the expected routes of each recorded version are turn routes`(version: String) throws {
        let routes = try Self.routes().filter { $0.version == version }

        #expect(routes.count > 80)

        let found = routes.filter { Self.contains($0.method, $0.target) }

        #expect(Set(found.map(\.path)) == Self.expected[version])
        #expect(found.allSatisfy { $0.method == "POST" })
    }

    @Test func `each POST route whose name resembles a turn route's is classified`() throws {
        let words = #/message|prompt|command|shell|summar|init|wait|generate|compact|synthetic|skill|turn|run/#

        for route in try Self.routes() where route.method == "POST" {
            guard route.path.split(separator: "/").last?.firstMatch(of: words) != nil else { continue }
            let isOne = Self.expected[route.version]?.contains(route.path) == true
            #expect(isOne != Self.atOnce.contains(route.path), "\(route.version) \(route.path)")
        }
    }

    @Test(
        arguments: [
            ("POST", "/session/ses_1/abort", "ses_1"), ("POST", "//session/ses%5F1/%61bort?directory=/d", "ses_1"),
            ("GET", "/session/ses_1/abort", nil), ("POST", "/session/ses_1/abort/x", nil),
            ("POST", "/session/abort", nil), ("POST", "/session/ses_1/message", nil),
        ] as [(String, String, String?)])
    func `the session of an abort is parsed as OpenCode's routers parse it`(
        method: String, target: String, session: String?
    ) {
        #expect(TurnRoutes.abortedSession(method, Array(target.utf8)[...]) == session)
    }

    @Test func `each recorded version has its expected turn routes`() throws {
        #expect(Set(try Self.routes().map(\.version)) == Set(Self.expected.keys))
    }

    @Test(
        arguments: [
            "/session/ses_1/message?directory=%2Fhome", "/session/ses_1/message/", "//session//ses_1/message",
            "/session/ses_1/%6dessage", "/session/ses%5F1/%6D%65ssage", "/session/ses_1/message;a=b",
            "/api/experimental/session/ses_1/wait?a", "/api/session/ses_1/wait",
        ])
    func `each spelling of a turn route's path that a router accepts is recognized`(target: String) {
        #expect(Self.contains("POST", target))
    }

    @Test(
        arguments: [
            ("GET", "/session/ses_1/message"), ("post", "/session/ses_1/message"), ("PUT", "/session/ses_1/shell"),
            ("POST", "/session/ses_1/message/msg_1"), ("POST", "/session/message"), ("POST", "/session/ses_1"),
            ("POST", "/x/session/ses_1/message"), ("POST", "/session/ses_1/messages"),
            ("POST", "/session/ses_1/%message"),
            ("POST", "/session/ses_1/mess"), ("POST", "/?/session/ses_1/message"), ("POST", "/"), ("POST", ""),
        ])
    func `all other methods and paths are not turn routes`(method: String, target: String) {
        #expect(!Self.contains(method, target))
    }
}

// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The directories and sessions that a request names")
struct RequestReferencesTests {
    private func references(_ method: String, _ path: String) throws -> RequestReferences {
        let judgement = RouteJudgement(method, Array(path.utf8)[...], for: nil)
        return RequestReferences(try #require(judgement.route))
    }

    private func findings(
        _ method: String, _ path: String, _ body: String
    ) throws -> [RequestReferences.Finding] {
        try references(method, path).findings(inBody: Array(body.utf8))
    }

    @Test(
        arguments: [
            ("POST", "/session", #"{"parentID":"ses_2","title":"x"}"#, [.init(.session, "ses_2")]),
            ("POST", "/pty", #"{"cwd":"/d","command":"sh"}"#, [.init(.directory, "/d")]),
            ("POST", "/mcp", #"{"name":"m","config":{"cwd":"/d"}}"#, [.init(.directory, "/d")]),
            ("PUT", "/api/experimental/mcp/m", #"{"config":{"cwd":"/d"}}"#, [.init(.directory, "/d")]),
            ("PATCH", "/config", #"{"mcp":{"a":{"cwd":"/d"},"b":{}}}"#, [.init(.directory, "/d")]),
            ("POST", "/api/session", #"{"location":{"directory":"/d"}}"#, [.init(.directory, "/d")]),
            ("POST", "/api/session/ses_1/move", #"{"directory":"/d"}"#, [.init(.directory, "/d")]),
            (
                "POST", "/experimental/control-plane/move-session",
                #"{"sessionID":"ses_2","destination":{"directory":"/d"}}"#,
                [.init(.session, "ses_2"), .init(.directory, "/d")]
            ),
            (
                "POST", "/api/experimental/session/import",
                #"""
                {"info":{"id":"ses_1","parentID":"ses_2","projectID":"p","location":{"directory":"/d"}},
                "messages":[{"location":{"directory":"/e"}},{"text":"x"}]}
                """#,
                [
                    .init(.directory, "/d"), .init(.directory, "/e"), .init(.session, "ses_1"),
                    .init(.session, "ses_2"), .init(.project, "p"),
                ]
            ),
            (
                "POST", "/sync/replay", #"{"directory":"/d","events":[{"aggregateID":"ses_2"}]}"#,
                [.init(.directory, "/d"), .init(.session, "ses_2")]
            ),
        ] as [(String, String, String, [RequestReferences.Finding])])
    func `a body's directories and sessions are found`(
        method: String, path: String, body: String, expected: [RequestReferences.Finding]
    ) throws {
        #expect(try findings(method, path, body) == expected)
    }

    @Test func `an absent value and null name nothing`() throws {
        #expect(try findings("POST", "/api/session", "{}") == [])
        #expect(try findings("POST", "/api/session", #"{"location":null}"#) == [])
        #expect(try findings("POST", "/api/session", #"{"location":{"directory":null}}"#) == [])
        #expect(try findings("POST", "/api/session", "") == [])
    }

    @Test(
        arguments: [
            #"{"location":"/d"}"#, #"{"location":[{"directory":"/d"}]}"#, #"{"location":{"directory":["/d"]}}"#, "[]",
            "5",
        ])
    func `a body with an unknown shape is rejected`(body: String) {
        #expect(throws: RequestReferences.Failure.hasUnknownShape) { try findings("POST", "/api/session", body) }
    }

    @Test func `a body that is not JSON, repeats a name or is too long is rejected`() throws {
        let repeated = #"{"location":{"directory":"/home/vibe/demo","directory":"/d"}}"#
        let long = #"{"title":""# + String(repeating: "x", count: 1 << 20) + #""}"#

        #expect(throws: RequestReferences.Failure.repeatsName) { try findings("POST", "/api/session", repeated) }
        #expect(throws: RequestReferences.Failure.isNotJSON) { try findings("POST", "/api/session", "{") }
        #expect(throws: RequestReferences.Failure.isTooLong) { try findings("POST", "/api/session", long) }
    }

    @Test func `a route without directory or session members needs no body`() throws {
        let references = try references("POST", "/session/ses_1/message")

        #expect(!references.haveBody)
        #expect(try references.findings(inBody: Array("{".utf8)) == [])
    }

    @Test func `the parameters that name directories or sessions are known`() throws {
        let list = try references("GET", "/api/fs/list").all.filter(\.isParameter).map(\.location)
        let saved = try references("GET", "/api/permission/saved").all.filter { $0.kind == .project }

        #expect(list == ["workspace", "location[workspace]", "path"])
        #expect(saved.map(\.location) == ["projectID"])
    }

    /// The names of members that contain a directory, a session, a project or a workspace.
    private static let names: Set = [
        "directory", "cwd", "sessionID", "parentID", "workspaceID", "projectID", "aggregateID",
    ]

    /// Returns the places of all members with these names in a sample, in the form of the table.
    private static func places(_ value: Any, _ path: String = "") -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(places($1, "\(path)[]")) } }
        guard let object = value as? [String: Any] else { return [] }
        return object.reduce(into: []) { found, member in
            let name = member.key.hasPrefix("any") ? "*" : member.key
            let place = path.isEmpty ? name : "\(path).\(name)"
            if names.contains(name), member.value is String { found.insert(place) }
            found.formUnion(places(member.value, place))
        }
    }

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: RecordedDocuments.counts.keys.sorted())
    func `each directory and id in the bodies of a document is in the table`(version: String) throws {
        let document = try RecordedDocuments.document(version)
        for operation in document.operations {
            guard let schema = document.requestSchema(operation.method, operation.path) else { continue }
            let known = try references(operation.method, operation.target).all.filter { !$0.isParameter }
            for choice in 0..<9 {
                let found = Self.places(document.sample(schema, choice: choice, text: "text"))

                #expect(found.subtracting(known.map(\.location)) == [], "\(operation)")
            }
        }
    }
}

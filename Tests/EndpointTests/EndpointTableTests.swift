// SPDX-License-Identifier: Apache-2.0

import Access
import AuditServing
import HTTPServer
import HTTPTypes
import KeyAdministration
import Logging
import OpenCodeFamilies
import Projects
import Storage
import Testing

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

@Suite("The endpoint of a method and a path")
struct EndpointTableTests {
    private static let every: [Method] = [
        .get, .head, .post, .put, .delete, .patch, .options, .connect, .trace, .other,
    ]
    private static let proxied: [Method] = [.get, .head, .post, .put, .delete, .patch, .options]
    private static let allowedToInstances = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"

    private func route(_ method: Method, _ target: String) -> EndpointTable.Match {
        EndpointTable.gateway.match(RequestHead(method, target))
    }

    /// Returns the endpoint of this template that serves the method.
    private func endpoint(_ method: Method, _ template: String) throws -> EndpointTable.Match {
        .endpoint(try index(method, template))
    }

    private func index(_ method: Method, _ template: String) throws -> Int {
        try #require(
            EndpointTable.gateway.endpoints.firstIndex {
                $0.path.template == template && $0.methods.contains(method)
            })
    }

    private func proxy(_ segment: String, _ target: String) throws -> EndpointTable.Match {
        .instance(
            try index(.get, "/projects/{name}/api/{path}"), segment: Array(segment.utf8)[...],
            target: Array(target.utf8)[...])
    }

    /// The table of scopes contains every operation of every recorded OpenAPI document (`ScopeTableTests`). A key for one
    /// project reaches all of them at the root.
    @Test func `no path of OpenCode is one of the gateway's own paths`() throws {
        let keys = KeyService(
            .failure(StorageError(.closed, "")), log: Logger(sink: LogKeeper(), level: .error), delay: { _, _ in },
            publish: { _ in })
        let templates =
            EndpointTable.gateway.endpoints.map(\.path.template) + keys.endpoints.map(\.path.template) + [
                AuditService.path, "/chat", "/conversations", "/models",
            ]
        let own = Set(templates.compactMap { $0.split(separator: "/").first })
        let collisions = Set(ScopeRoute.all.compactMap { $0.template.split(separator: "/").first }).intersection(own)

        #expect(own.contains("-"))
        // The gateway describes its own API there.
        #expect(collisions == ["openapi.json"])
    }

    @Test(arguments: every)
    func `the gateway's own resources allow only GET and HEAD`(method: Method) throws {
        let isRead = method == .get || method == .head
        for template in ["/health", "/openapi.json", "/docs", "/check/stream", "/projects", "/projects/{name}/status"] {
            let expected = isRead ? try endpoint(method, template) : .methodNotAllowed(allow: "GET, HEAD")
            #expect(route(method, template.replacing("{name}", with: "alpha")) == expected)
        }
    }

    @Test(arguments: every)
    func `a project is started only with POST and stopped only with DELETE`(method: Method) throws {
        let start =
            method == .post
            ? try endpoint(.post, "/projects/{name}/start") : .methodNotAllowed(allow: "POST")

        #expect(route(method, "/projects/alpha/start") == start)

        let stop =
            method == .delete
            ? try endpoint(.delete, "/projects/{name}/stop") : .methodNotAllowed(allow: "DELETE")

        #expect(route(method, "/projects/alpha/stop") == stop)
    }

    @Test(arguments: every)
    func `only GET, HEAD, POST, PUT, DELETE, PATCH and OPTIONS reach an instance`(method: Method) throws {
        let expected =
            Self.proxied.contains(method)
            ? try proxy("alpha", "/session") : .methodNotAllowed(allow: Self.allowedToInstances)

        #expect(route(method, "/projects/alpha/api/session") == expected)
    }

    @Test(
        arguments: [
            ("/projects/alpha/api", "alpha", "/"), ("/projects/alpha/api/", "alpha", "/"),
            ("/projects/alpha/api?a=b", "alpha", "/?a=b"), ("/projects/alpha/api/?a=b", "alpha", "/?a=b"),
            ("/projects/alpha/api//x", "alpha", "//x"), ("/projects/alpha/api/a/../b", "alpha", "/a/../b"),
            ("/projects/alpha/api/a%2Fb%2f?c=%3F&d=/e?f", "alpha", "/a%2Fb%2f?c=%3F&d=/e?f"),
            ("/projects/alpha/api/api", "alpha", "/api"), ("/projects/alpha/api/start", "alpha", "/start"),
            ("/projects/alpha/api/%00", "alpha", "/%00"), ("/projects/alpha/api/?", "alpha", "/?"),
            ("http://example.com/projects/alpha/api/x?y", "alpha", "/x?y"),
            ("HTTPS://[::1]:4000/projects/alpha/api?y", "alpha", "/?y"),
            // The name is looked up as received, and the lookup decides.
            ("/projects/a%20b/api/x", "a%20b", "/x"), ("/projects/%2e%2e/api/x", "%2e%2e", "/x"),
            ("/projects//api/x", "", "/x"), ("/projects/\u{e9}/api/x", "\u{e9}", "/x"),
        ])
    func `an instance receives the target after /api byte for byte`(target: String, segment: String, passed: String)
        throws
    {
        #expect(route(.get, target) == (try proxy(segment, passed)))
        #expect(route(.post, target) == (try proxy(segment, passed)))
    }

    @Test(
        arguments: [
            ("alpha", "alpha"), ("my.app", "my.app"), ("a%20b", "a b"), ("a+b", "a+b"), ("%61lpha", "alpha"),
            ("%C3%A9", "\u{e9}"), ("\u{e9}", "\u{e9}"), ("%2561", "%61"), ("a%3Fb%23", "a?b#"), ("api", "api"),
            ("start", "start"),
        ])
    func `a project name in a path is decoded exactly once`(segment: String, text: String) throws {
        let status = try endpoint(.get, "/projects/{name}/status")
        let target = "/projects/\(segment)/status"

        #expect(route(.get, target) == status)
        #expect(route(.post, "/projects/\(segment)/start?now=1") == (try endpoint(.post, "/projects/{name}/start")))
        #expect(route(.delete, "/projects/\(segment)/stop?") == (try endpoint(.delete, "/projects/{name}/stop")))

        let parameters = PathPattern("/projects/{name}/status").parameters(of: Array(target.utf8)[...])

        #expect(parameters["name"].flatMap(ProjectName.init(percentEncoded:)) == ProjectName(text))
    }

    @Test(
        arguments: [
            "", ".", "..", ".hidden", "%2e%2e", "%2Ehidden", "a%2Fb", "a%2fb", "%", "%6", "%zz", "a%00", "%ff", "a%0Ab",
            "%C0%AE",
            "%c2%80",
        ])
    func `each segment that cannot be a project name is an unknown project`(segment: String) throws {
        for (method, served, path) in [
            (Method.get, Method.get, "status"), (.post, .post, "start"), (.delete, .delete, "stop"),
            (.patch, .delete, "stop"),
        ] {
            let index = try index(served, "/projects/{name}/\(path)")
            #expect(route(method, "/projects/\(segment)/\(path)") == .unknownProject(index, segment))
        }
    }

    @Test(
        arguments: [
            "", "/", "*", "/healthz", "/health/", "/Health", "//health", "/%68ealth", "/%70rojects",
            "/projects/a%2Fapi/x", "/health#a", "/health;a",
            "health", "/projects/", "/projects/alpha", "/projects/alpha/", "/projects/alpha/Status",
            "/projects/alpha/status/", "/projects/alpha/start/x", "/projects/alpha/starts", "/projects/alpha/apis",
            "/projects/alpha/api#x", "/projects/alpha/API/x", "/projects/alpha/%61pi/x", "/projects/alpha//api/x",
            "/projects/a/b/api/x", "//projects/alpha/api/x", "/Projects/alpha/api", "example.com:443",
            "http://example.com", "http://example.com?/projects", "http:///projects", "ftp://example.com/projects",
            "http:/projects", "/projects/alpha?/api/x",
        ])
    func `each other path is not found, regardless of the method`(target: String) {
        for method in Self.every { #expect(route(method, target) == .notFound) }
    }

    @Test(arguments: ["?", "?a=b", "?/projects/alpha/start"])
    func `a query does not change which of the gateway's own endpoints matches`(query: String) throws {
        #expect(route(.get, "/health" + query) == (try endpoint(.get, "/health")))
        #expect(route(.get, "/projects" + query) == (try endpoint(.get, "/projects")))
        #expect(route(.get, "/projects/alpha/status" + query) == (try endpoint(.get, "/projects/{name}/status")))
        #expect(route(.get, "http://example.com/health" + query) == (try endpoint(.get, "/health")))
    }

    @Test func `only /health, /openapi.json and /docs need no key`() {
        let open = EndpointTable.gateway.endpoints.filter(\.requirement.isOpen).map(\.path.template)

        #expect(open == ["/health", "/openapi.json", "/docs"])
        #expect(!Endpoint.chat.requirement.isOpen)
        #expect(!Endpoint.chatAtAnyPath.requirement.isOpen)
    }

    /// Returns the table of a gateway with the other client protocols enabled.
    private static func whole() throws -> EndpointTable {
        let conversations = try ConversationService(
            ConversationSetUp(project: nil, home: "/nowhere", store: nil, version: "1"), control: NoProjects(),
            log: Logger(sink: LogKeeper(), level: .error))
        defer { conversations.stop() }
        return EndpointTable.gateway.adding([.chat] + conversations.endpoints)
    }

    /// Returns a path of an endpoint, with a value for each parameter.
    private static func target(_ endpoint: Endpoint) -> String {
        endpoint.path.template.split(separator: "/").map { $0.first == "{" ? "/alpha" : "/\($0)" }.joined()
    }

    @Test func `every endpoint is reachable, and no path has two endpoints for one method`() throws {
        let table = try Self.whole()

        for (index, endpoint) in table.endpoints.enumerated() {
            let target = Self.target(endpoint)
            for method in endpoint.methods.methods {
                switch table.match(RequestHead(method, target)) {
                case .endpoint(let found), .instance(let found, _, _): #expect(found == index, "\(method) \(target)")
                default: Issue.record("\(method) \(target) has no endpoint")
                }
            }
        }
    }

    @Test func `endpoints of one path share it regardless of their parameter names`() {
        let other = Endpoint(
            .put, "/projects/{project}/status", requires: .key(.read),
            description: .init(id: "other", summary: "", ""),
            handler: .fixed(ControlAnswers.health))
        let table = EndpointTable.gateway.adding([other])
        let target = "/projects/alpha/status"

        #expect(table.match(RequestHead(.put, target)) == .endpoint(table.endpoints.count - 1))
        #expect(table.match(RequestHead(.delete, target)) == .methodNotAllowed(allow: "GET, HEAD, PUT"))
    }

    /// A parameter whose name is not in the pattern would be missing, and the response would be 404.
    @Test func `every parameter that a handler reads is in its path pattern`() async throws {
        for endpoint in try Self.whole().endpoints {
            let (names, template) = (endpoint.path.names, endpoint.path.template)
            #expect(Set(names).count == names.count, "\(template)")
            switch endpoint.handler {
            case .instance: #expect(endpoint.path.namesProject, "\(template)")
            case .control(let answer):
                var request = ControlRequest()
                request.parameters = endpoint.path.parameters(of: Array(Self.target(endpoint).utf8)[...])
                request.project = endpoint.path.namesProject ? ProjectName("alpha") : nil
                guard case .error(let found) = await answer(request, NoProjects()) else { continue }
                #expect(found.sentence != GatewayError.notFound.sentence, "\(template)")
            case .loop: #expect(names.isEmpty || names == ["name"], "\(template)")
            case .page, .fixed: #expect(names.isEmpty, "\(template)")
            }
        }
    }
}

import HTTPTypes
import Projects
import Testing

@testable import Gateway

@Suite("Routes: method and raw path give one case")
struct RouterTests {
    private static let every: [Method] = [
        .get, .head, .post, .put, .delete, .patch, .options, .connect, .trace, .other,
    ]
    private static let proxied: [Method] = [.get, .head, .post, .put, .delete, .patch, .options]
    private static let allowedToInstances = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"

    private func route(_ method: Method, _ target: String) -> Route { Router.route(method, Array(target.utf8)) }

    private func name(_ text: String) throws -> ProjectName { try #require(ProjectName(text)) }

    private func proxy(_ segment: String, _ target: String) -> Route {
        .proxy(segment: Array(segment.utf8)[...], target: Array(target.utf8)[...])
    }

    @Test("The gateway's own resources are read, and nothing else", arguments: every)
    func ownResources(method: Method) throws {
        let isRead = method == .get || method == .head
        let refused = Route.methodNotAllowed(allow: "GET, HEAD")
        #expect(route(method, "/health") == (isRead ? .health : refused))
        #expect(route(method, "/projects") == (isRead ? .projects : refused))
        #expect(route(method, "/projects/alpha/status") == (isRead ? .status(try name("alpha")) : refused))
    }

    @Test("A project is started with POST and stopped with DELETE", arguments: every)
    func startAndStop(method: Method) throws {
        let start = method == .post ? Route.start(try name("alpha")) : .methodNotAllowed(allow: "POST")
        #expect(route(method, "/projects/alpha/start") == start)
        let stop = method == .delete ? Route.stop(try name("alpha")) : .methodNotAllowed(allow: "DELETE")
        #expect(route(method, "/projects/alpha/stop") == stop)
    }

    @Test("These methods reach an instance", arguments: every)
    func toAnInstance(method: Method) {
        let expected =
            Self.proxied.contains(method)
            ? proxy("alpha", "/session") : .methodNotAllowed(allow: Self.allowedToInstances)
        #expect(route(method, "/projects/alpha/api/session") == expected)
    }

    @Test(
        "An instance gets what follows /api, byte for byte",
        arguments: [
            ("/projects/alpha/api", "alpha", "/"), ("/projects/alpha/api/", "alpha", "/"),
            ("/projects/alpha/api?a=b", "alpha", "/?a=b"), ("/projects/alpha/api/?a=b", "alpha", "/?a=b"),
            ("/projects/alpha/api//x", "alpha", "//x"), ("/projects/alpha/api/a/../b", "alpha", "/a/../b"),
            ("/projects/alpha/api/a%2Fb%2f?c=%3F&d=/e?f", "alpha", "/a%2Fb%2f?c=%3F&d=/e?f"),
            ("/projects/alpha/api/api", "alpha", "/api"), ("/projects/alpha/api/start", "alpha", "/start"),
            ("/projects/alpha/api/%00", "alpha", "/%00"), ("/projects/alpha/api/?", "alpha", "/?"),
            ("http://example.com/projects/alpha/api/x?y", "alpha", "/x?y"),
            ("HTTPS://[::1]:4000/projects/alpha/api?y", "alpha", "/?y"),
            // The name is looked up as it came: whoever knows it decides.
            ("/projects/a%20b/api/x", "a%20b", "/x"), ("/projects/%2e%2e/api/x", "%2e%2e", "/x"),
            ("/projects//api/x", "", "/x"), ("/projects/\u{e9}/api/x", "\u{e9}", "/x"),
        ])
    func rawTargets(target: String, segment: String, passed: String) {
        #expect(route(.get, target) == proxy(segment, passed))
        #expect(route(.post, target) == proxy(segment, passed))
    }

    @Test(
        "A name is decoded exactly once",
        arguments: [
            ("alpha", "alpha"), ("my.app", "my.app"), ("a%20b", "a b"), ("a+b", "a+b"), ("%61lpha", "alpha"),
            ("%C3%A9", "\u{e9}"), ("\u{e9}", "\u{e9}"), ("%2561", "%61"), ("a%3Fb%23", "a?b#"), ("api", "api"),
            ("start", "start"),
        ])
    func names(segment: String, text: String) throws {
        let name = try name(text)
        #expect(route(.get, "/projects/\(segment)/status") == .status(name))
        #expect(route(.post, "/projects/\(segment)/start?now=1") == .start(name))
        #expect(route(.delete, "/projects/\(segment)/stop?") == .stop(name))
    }

    @Test(
        "What can't be a name is no project",
        arguments: [
            "", ".", "..", ".hidden", "%2e%2e", "%2Ehidden", "a%2Fb", "a%2fb", "%", "%6", "%zz", "a%00", "%ff", "a%0Ab",
            "%C0%AE",
            "%c2%80",
        ])
    func unknownProjects(segment: String) {
        for (method, resource) in [(Method.get, "status"), (.post, "start"), (.delete, "stop"), (.patch, "stop")] {
            #expect(route(method, "/projects/\(segment)/\(resource)") == .unknownProject(segment))
        }
    }

    @Test(
        "Anything else is not found, whatever the method",
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
    func notFound(target: String) {
        for method in Self.every { #expect(route(method, target) == .notFound) }
    }

    @Test("A query has no say in the gateway's own routes", arguments: ["?", "?a=b", "?/projects/alpha/start"])
    func queries(query: String) throws {
        #expect(route(.get, "/health" + query) == .health)
        #expect(route(.get, "/projects" + query) == .projects)
        #expect(route(.get, "/projects/alpha/status" + query) == .status(try name("alpha")))
        #expect(route(.get, "http://example.com/health" + query) == .health)
    }
}

import HTTPTypes
import Instances
import Testing

@testable import Gateway

/// Method and raw path to one route; nothing is decoded on the way.
@Suite struct RouterTests {
    private func route(_ method: Method, _ target: String) -> Route { Router.route(method, Array(target.utf8)) }

    private func proxy(_ segment: String, _ target: String) -> Route {
        .proxy(segment: Array(segment.utf8)[...], target: Array(target.utf8)[...])
    }

    @Test func theGatewaysOwnRoutes() throws {
        let name = try #require(ProjectName(percentEncoded: Array("my.app".utf8)[...]))
        #expect(route(.get, "/health") == .health)
        #expect(route(.head, "/health?x") == .health)
        #expect(route(.get, "/projects") == .projects)
        #expect(route(.post, "/projects/my.app/start") == .start(name))
        #expect(route(.delete, "/projects/my.app/stop") == .stop(name))
        #expect(route(.get, "/projects/my.app/status") == .status(name))
        #expect(route(.get, "/projects/my%2Eapp/status") == .status(name))
        #expect(route(.get, "http://example.com/projects/my.app/status") == .status(name))
    }

    @Test(arguments: [
        ("/projects/a/api", "/"), ("/projects/a/api/", "/"), ("/projects/a/api?q", "/?q"),
        ("/projects/a/api/x?q=%2F", "/x?q=%2F"),
        ("/projects/a/api/%2e%2e/b", "/%2e%2e/b"), ("/projects/a/api/../../b", "/../../b"),
        ("/projects/a/api//x", "//x"),
        ("/projects/a/api/%00", "/%00"), ("/projects/a/api/x?a?b", "/x?a?b"), ("HTTP://h/projects/a/api/x", "/x"),
    ])
    func whatFollowsApiIsTheInstancesTarget(target: String, passedOn: String) {
        #expect(route(.get, target) == proxy("a", passedOn))
    }

    @Test func theSegmentIsPassedOnAsItCame() {
        #expect(route(.get, "/projects/a%20b/api/x") == proxy("a%20b", "/x"))
        #expect(route(.get, "/projects/%2e%2e/api/x") == proxy("%2e%2e", "/x"))
    }

    @Test func aMethodThatIsNotTheRoutesOwn() {
        #expect(route(.post, "/health") == .methodNotAllowed(allow: "GET, HEAD"))
        #expect(route(.get, "/projects/a/start") == .methodNotAllowed(allow: "POST"))
        #expect(route(.post, "/projects/a/stop") == .methodNotAllowed(allow: "DELETE"))
        #expect(route(.put, "/projects/a/status") == .methodNotAllowed(allow: "GET, HEAD"))
        for method in [Method.trace, .connect, .other] {
            #expect(
                route(method, "/projects/a/api/x")
                    == .methodNotAllowed(allow: "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"))
        }
    }

    @Test(arguments: [
        "/", "", "*", "/healthz", "/health/", "/Health", "/projects/", "/projects/a", "/projects/a/",
        "/projects/a/apix",
        "/projects/a/start/", "/projects/a/b", "//projects/a/api", "projects/a/api", "ftp://x/projects",
        "/projects/a/api#x",
        "/projects/a%2Fapi/x", "/%70rojects",
    ])
    func anythingElseIsNotFound(target: String) { #expect(route(.get, target) == .notFound) }

    @Test(arguments: ["%2e%2e", "..", ".", ".hidden", "a%2Fb", "%00", "%zz", "", "%C0%AE"])
    func aNameThatCannotBeAProjects(name: String) {
        #expect(route(.post, "/projects/\(name)/start") == .unknownProject(name))
    }
}

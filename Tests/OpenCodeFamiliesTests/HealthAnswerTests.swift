// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct HealthAnswerTests {
    private func answer(_ status: Int, _ body: String, _ path: HealthPath = .globalHealth) -> HealthAnswer {
        HealthAnswer(status: status, body: Array(body.utf8), path: path)
    }

    @Test(arguments: ["1.1.11", "1.2.27", "1.18.33"])
    func `each recorded health response of OpenCode 1 is healthy`(version: String) {
        #expect(answer(200, "{\"healthy\":true,\"version\":\"\(version)\"}") == .healthy(version: version))
    }

    @Test func `the recorded response of OpenCode 2 is healthy and has its process number`() {
        // The recorded response of `/api/info`.
        let body = #"{"version":"2.0.15","pid":58,"urls":["http://127.0.0.1:36167"],"paths":{"tmp":"/tmp/opencode"}}"#

        #expect(answer(200, body, .info) == .healthy(version: "2.0.15", processNumber: 58))
    }

    @Test func `a response with healthy true needs no version, and /api/info needs no pid`() {
        for path in [HealthPath.globalHealth, .health] {
            #expect(answer(200, #"{"healthy":true}"#, path) == .healthy(version: nil))
        }

        #expect(answer(200, #"{"version":"2.0.15"}"#, .info) == .healthy(version: "2.0.15"))
        #expect(answer(200, #"{"healthy":true,"version":null,"pid":null}"#) == .healthy(version: nil))
    }

    @Test(arguments: [
        (200, "{\"healthy\":false,\"version\":\"1.2.27\"}", HealthPath.globalHealth, "not healthy"),
        (200, "<!doctype html><html></html>", .globalHealth, "web page"),
        (200, " \n<html>", .info, "web page"),
        (200, "healthy", .globalHealth, "other than a JSON health report"),
        (200, "", .info, "other than a JSON health report"),
        (200, "{}", .info, "other than a JSON health report"),
        (200, #"{"version":"1.2.27"}"#, .globalHealth, "other than a JSON health report"),
        (200, #"{"version":"2.0.5"}"#, .health, "other than a JSON health report"),
        (200, "{\"healthy\":\"yes\"}", .globalHealth, "other than a JSON health report"),
        (200, #"{"healthy":null}"#, .globalHealth, "other than a JSON health report"),
        (200, #"{"healthy":1}"#, .globalHealth, "other than a JSON health report"),
        (200, #"{"healthy":true,"version":2}"#, .globalHealth, "other than a JSON health report"),
        (200, #"{"healthy":true,"pid":"58"}"#, .health, "other than a JSON health report"),
        (200, #"{"version":"2.0.15","pid":2147483648}"#, .info, "other than a JSON health report"),
        (200, #"{"version":"2.0.15","pid":58.5}"#, .info, "other than a JSON health report"),
        (200, #"[{"healthy":true}]"#, .globalHealth, "other than a JSON health report"),
        (200, #"{"healthy":true}}"#, .globalHealth, "other than a JSON health report"),
        (401, "", .info, "password"),
        (404, "{}", .globalHealth, "Update OpenCode if it is older than 1.1"),
        (404, "", .health, "older than 2.0.3"),
        (500, "{\"name\":\"BunInstallFailedError\"}", .globalHealth, "500"),
        (302, "", .info, "302"),
    ])
    func `each other response is reported with its reason`(status: Int, body: String, path: HealthPath, word: String) {
        let trouble = answer(status, body, path).trouble(at: path)

        #expect(trouble?.contains(word) == true, "\(trouble ?? "none")")
    }

    @Test func `a web page as a response is not reported as an old version`() {
        let trouble = answer(200, "<html>").trouble(at: .globalHealth)

        #expect(trouble?.contains("old") == false)
    }
}

/// Tests the paths of an instance's health checks, and their order.
@Suite struct HealthSearchTests {
    /// Returns the paths that the search requests from an instance with these responses.
    private func paths(
        _ family: APIFamily?, found: HealthPath? = nil, _ answer: (HealthPath) -> HealthAnswer
    ) -> [HealthPath] {
        var search = HealthSearch(family: family, found: found)
        var paths = [search.path]
        while search.advance(after: answer(search.path)) { paths.append(search.path) }
        return paths
    }

    private static let healthy = HealthAnswer.healthy(version: "x")

    @Test func `an instance announced as OpenCode 1 is checked at /global/health only`() {
        for answer in [Self.healthy, .otherwise(.notFound), .otherwise(.page), .unauthorized(reason: "")] {
            #expect(paths(.one) { _ in answer } == [.globalHealth])
        }
    }

    @Test func `OpenCode 2 is checked at /api/info and, if that is missing, at /api/health`() {
        #expect(paths(.two) { _ in Self.healthy } == [.info])
        #expect(paths(.two) { $0 == .health ? Self.healthy : .otherwise(.notFound) } == [.info, .health])
        #expect(paths(.two) { _ in .otherwise(.notFound) } == [.info, .health])
    }

    @Test func `an instance without an announcement is checked as OpenCode 1 first`() {
        #expect(paths(nil) { _ in Self.healthy } == [.globalHealth])
        #expect(paths(nil) { $0 == .globalHealth ? .otherwise(.page) : Self.healthy } == [.globalHealth, .info])

        for answer in [HealthAnswer.otherwise(.notFound), .unauthorized(reason: ""), .unhealthy(reason: "")] {
            #expect(paths(nil) { _ in answer } == [.globalHealth], "it may be one")
        }
    }

    @Test func `a health path that was found is the only path checked during the run`() {
        for family in [nil, APIFamily.one, .two] {
            for answer in [Self.healthy, .otherwise(.page), .otherwise(.notFound)] {
                #expect(paths(family, found: .health) { _ in answer } == [.health])
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests `/openapi.json` and `/docs`, which are public and consistent with the running gateway.
@Suite(.onTestThreads) struct DescriptionRouteTests {
    private typealias Object = [String: Any]

    private static func description(_ gateway: GatewayUnderTest) throws -> Object {
        let answer = try TestClient.request(port: gateway.port, "GET", "/openapi.json")
        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["application/json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? Object)
    }

    /// Returns every path with its operations, with example values for its parameters.
    private static func paths(_ gateway: GatewayUnderTest) throws -> [(target: String, operations: [String: Object])] {
        let paths = try #require(try description(gateway)["paths"] as? [String: Object])
        return paths.map { template, path in
            let target = template.replacing("{name}", with: "demo").replacing("{path}", with: "session")
            let operations = path.filter { $0.key != "parameters" }.compactMap { key, value in
                (value as? Object).map { (key.uppercased(), $0) }
            }
            return (target, Dictionary(uniqueKeysWithValues: operations))
        }
    }

    @Test func `each path serves exactly the methods in the OpenAPI description, and HEAD with GET`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (target, operations) in try Self.paths(gateway) {
            var served = Set(operations.keys)
            if served.contains("GET") { served.insert("HEAD") }
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
                // The request has no key. The response to a served method is 401 or 200, and no instance starts.
                let answer = try TestClient.request(port: gateway.port, method, target)
                #expect((answer.status != 405) == served.contains(method), "\(method) \(target)")
                guard answer.status == 405 else { continue }
                #expect(Set(try #require(answer.value(of: "Allow")).components(separatedBy: ", ")) == served)
            }
        }
    }

    @Test func `exactly the operations described as public need no key`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (target, operations) in try Self.paths(gateway) {
            for (method, operation) in operations {
                let isOpen = try #require(operation["security"] as? [Object]).isEmpty
                let answer = try TestClient.request(port: gateway.port, method, target)
                // The request has no body, so an operation that needs one refuses the request for that reason.
                let admitted = operation["requestBody"] == nil ? [200, 204] : [415]
                #expect((isOpen ? admitted : [401]).contains(answer.status), "\(method) \(target)")
            }
        }
    }

    @Test func `each path of the gateway is in the OpenAPI description`() throws {
        let gateway = try GatewayUnderTest()
        let targets = Set(try Self.paths(gateway).map(\.target))

        // Every target whose response is not 404 must be described.
        for target in [
            "/", "/health", "/projects", "/docs", "/openapi.json", "/redoc", "/metrics", "/status", "/projects/demo",
            "/projects/demo/start", "/projects/demo/stop", "/projects/demo/status", "/projects/demo/api/session",
            "/projects/demo/restart", "/projects/demo/logs", "/admin", "/api", "/favicon.ico", "/docs/oauth2-redirect",
        ] {
            let answer = try TestClient.request(port: gateway.port, "GET", target)
            #expect((answer.status != 404) == targets.contains(target), "\(target)")
        }
    }

    @Test func `responses have the members that the OpenAPI description lists`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        let components = try #require(try Self.description(gateway)["components"] as? Object)
        let schemas = try #require(components["schemas"] as? [String: Object])

        func expect(_ schema: String, _ answer: TestResponse, sourceLocation: SourceLocation = #_sourceLocation) throws
        {
            let form = try #require(schemas[schema])
            let members = try #require(form["properties"] as? Object)
            let required = try #require(form["required"] as? [String])
            #expect(form["additionalProperties"] as? Bool == false)
            let json = try JSONSerialization.jsonObject(with: Data(answer.body))
            let objects = try json as? [Object] ?? [#require(json as? Object)]
            for object in objects {
                #expect(Set(object.keys).isSubset(of: members.keys), sourceLocation: sourceLocation)
                #expect(Set(required).isSubset(of: object.keys), sourceLocation: sourceLocation)
            }
        }

        try expect("Health", gateway.request("GET", "/health"))
        try gateway.start(instance)
        try expect("Project", gateway.request("GET", "/projects"))
        try expect("ProjectStatus", gateway.request("GET", "/projects/demo/status"))
        try expect("Started", gateway.request("POST", "/projects/demo/start"))
        try expect("Stopped", gateway.request("DELETE", "/projects/demo/stop"))
        try expect("Error", gateway.request("GET", "/projects/unknown/status"))
        try expect("Error", gateway.request("GET", "/nothing"))
    }

    @Test func `the header fields of /docs forbid content from other origins`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(port: gateway.port, "GET", "/docs")

        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["text/html; charset=utf-8"])
        #expect(answer.values(of: "X-Content-Type-Options") == ["nosniff"])
        #expect(answer.values(of: "Referrer-Policy") == ["no-referrer"])

        let policy = try #require(answer.value(of: "Content-Security-Policy"))

        #expect(policy.hasPrefix("default-src 'none'; "))

        for word in ["unsafe", "http", "*"] { #expect(!policy.contains(word)) }

        #expect(answer.text.hasPrefix("<!doctype html>"))
    }

    @Test func `/docs and /openapi.json are answered with 304 if the client has the current ETag`() throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()

        for target in ["/docs", "/openapi.json"] {
            let whole = try connection.exchange("GET", target)
            #expect(whole.values(of: "Cache-Control") == ["no-cache"])
            let tag = try #require(whole.value(of: "ETag"))
            let unchanged = try connection.exchange("GET", target, headers: [("If-None-Match", tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged.body.isEmpty)
            #expect(unchanged.values(of: "ETag") == [tag])
            #expect(unchanged.values(of: "Content-Length") == ["\(whole.body.count)"])
            let other = try connection.exchange("GET", target, headers: [("If-None-Match", "\"other\"")])
            #expect(isSame(other.body, whole.body))
            let head = try connection.exchange("HEAD", target)
            #expect(head.values(of: "Content-Length") == ["\(whole.body.count)"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// A gateway that has started one instance as project `demo`.
///
/// The gateway has one loop, so that every request finds the same kept-alive connections to the instance.
final class ProxyFixture: Sendable {
    let instance: FakeOpenCode.Server
    let gateway: GatewayUnderTest
    /// All requests in the order of their arrival at the instance.
    var carried: Recorded<FakeOpenCode.Server.Carried> { instance.carried }

    init(
        _ opencode: FakeOpenCode = FakeOpenCode(), flags: [String] = [], environment: [String: String] = [:],
        _ handler: FakeOpenCode.Handler? = nil
    ) throws {
        instance = try opencode.start(handler)
        gateway = try GatewayUnderTest(
            flags: flags, environment: ["VIBE_THREADS": "1"].merging(environment) { $1 })
        try gateway.start(instance)
    }

    /// One method for each kind of request to an instance: a request that may be repeated, and a request that is sent
    /// only once.
    static let carriers = ["GET", "POST"]

    /// Returns the target at the gateway for a path at the instance.
    static func target(_ path: String) -> String { "/projects/demo/api\(path)" }

    /// Sends one request on a new connection, and returns its whole response.
    func request(
        _ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws -> TestResponse {
        try gateway.request(method, Self.target(path), headers: headers, body: body)
    }

    /// Sends a request on a new connection without reading the response.
    func send(
        _ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        receiveBuffer: Int? = nil
    ) throws -> TestConnection {
        let connection = try TestClient.connect(port: gateway.port, receiveBuffer: receiveBuffer)
        try connection.send(
            method, Self.target(path), headers: [GatewayUnderTest.authorization] + headers, body: body)
        return connection
    }

    /// Opens an event stream without reading its head.
    func events(
        _ path: String = "/event", method: String = "GET", receiveBuffer: Int? = nil
    ) throws -> EventStreamReader {
        EventStreamReader(try send(method, path, receiveBuffer: receiveBuffer))
    }

    /// Returns the port of the connection that carried the last request for this path.
    func port(of path: String) -> UInt16? { carried.values.last { $0.target == path }?.port }

    /// Returns how often a request for this path has reached the instance.
    func deliveries(of path: String) -> Int { carried.values.count { $0.target == path } }
}

/// Returns whether two long bodies are equal. With `==`, an expectation would compute the difference, which takes
/// minutes.
func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool { left == right }

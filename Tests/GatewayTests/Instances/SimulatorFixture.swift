// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// A gateway whose instances are simulators, with one project `demo`.
struct SimulatorFixture {
    /// A limit that is sufficient on a machine with ten other tasks.
    static let patience = Duration.seconds(60)

    let gateway: GatewayUnderTest

    /// Starts the gateway.
    ///
    /// - Parameter words: The misbehaviour of the simulator of `demo`.
    init(_ words: String = "", flags: [String] = [], environment: [String: String] = [:]) throws {
        gateway = try GatewayUnderTest(
            flags: flags, environment: environment, opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")
        try plan(words)
    }

    /// The fields of the `status` response.
    struct Status: Decodable {
        var isRunning: Bool
        var port: UInt16?
        var state: String
        var since: String
        var pid: Int32?
        var restarts: Int
        var version: String?
        var lastError: String?
        var warnings: [String]
    }

    func status(_ project: String = "demo") throws -> Status {
        let answer = try gateway.request("GET", "/projects/\(project)/status")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Status.self, from: Data(answer.body))
    }

    @discardableResult
    func start(_ project: String = "demo") throws -> TestResponse {
        try gateway.request("POST", "/projects/\(project)/start", within: Self.patience)
    }

    /// Sets the misbehaviour of a project's simulators from their next start on.
    func plan(_ words: String, project: String = "demo") throws {
        _ = try gateway.home.write(words, to: "\(project)/.opencode-simulator")
    }

    /// Sets the misbehaviour of the running simulator of `demo` from now on.
    func misbehave(_ words: String) throws {
        let answer = try gateway.request(
            "POST", "/projects/demo/api/simulator/misbehave", body: Array(words.utf8), within: Self.patience)
        guard answer.status == 200 else { throw TestFailure("the simulator answered \(answer.status) \(answer.text)") }
    }

    /// Sends a request to the instance of `demo`.
    func request(_ path: String) throws -> TestResponse {
        try gateway.request("GET", "/projects/demo/api\(path)", within: Self.patience)
    }

    /// Waits until the log contains the phrase this many times, for example a state of the instance.
    func waitForLog(_ phrase: String, times: Int = 1) throws {
        try gateway.waitForLog(phrase, times: times)
    }
}

import Foundation
import TestKit

/// A gateway whose instances are simulators, with one project `demo`.
struct SimulatorFixture {
    /// Long enough for a machine that does ten other things.
    static let patience = Duration.seconds(60)

    let gateway: GatewayUnderTest

    /// Starts the gateway; `words` say how the simulator of `demo` misbehaves.
    init(_ words: String = "", flags: [String] = [], environment: [String: String] = [:]) throws {
        gateway = try GatewayUnderTest(
            flags: flags, environment: environment, opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")
        try plan(words)
    }

    /// What `status` says.
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

    /// How the simulators of a project misbehave from their next start on.
    func plan(_ words: String, project: String = "demo") throws {
        _ = try gateway.home.write(words, to: "\(project)/.opencode-simulator")
    }

    /// How the running simulator of `demo` misbehaves from now on.
    func misbehave(_ words: String) throws {
        let answer = try gateway.request(
            "POST", "/projects/demo/api/simulator/misbehave", body: Array(words.utf8), within: Self.patience)
        guard answer.status == 200 else { throw TestFailure("the simulator answered \(answer.status) \(answer.text)") }
    }

    /// A request to the instance of `demo`.
    func request(_ path: String) throws -> TestResponse {
        try gateway.request("GET", "/projects/demo/api\(path)", within: Self.patience)
    }

    /// Waits until the log has said that often that the instance is in a state, or something else of it.
    func waitForLog(_ phrase: String, times: Int = 1) throws {
        try gateway.waitForLog(phrase, times: times)
    }
}

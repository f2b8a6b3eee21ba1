// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// The simulator of OpenCode 2, started as a program in a folder of a separate home directory.
struct Simulator2Process {
    static let password = "correct horse"
    static let authorization = "Basic " + Base64.encode(Array("opencode:\(password)".utf8))

    let process: TestProcess
    let port: UInt16
    let home: TemporaryDirectory
    /// The folder of the project.
    let directory: String

    /// Starts the simulator. Turns and loading take no time unless a pace is given. `prepare` creates files before the
    /// start.
    init(
        home: TemporaryDirectory? = nil, folder: String = "demo", environment: [String: String] = [:], pace: Int = 0,
        misbehave: String = "",
        password: String? = Simulator2Process.password, prepare: (TemporaryDirectory) throws -> Void = { _ in }
    ) throws {
        self.home = try home ?? TemporaryDirectory()
        directory = try self.home.makeDirectory(folder)
        try prepare(self.home)
        var variables = [
            "SIMULATOR_PROFILE": "2.0.15", "SIMULATOR_PACE": "\(pace)", "SIMULATOR_MISBEHAVE": misbehave,
            "HOME": self.home.path,
        ]
        if let password { variables["OPENCODE_PASSWORD"] = password }
        process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["serve", "--port", "0", "--hostname", "127.0.0.1"],
            environment: variables.merging(environment) { $1 }, directory: directory)
        let banner = try process.waitForLine(on: .output) { $0.contains("listening on") }
        guard let port = UInt16(banner.split(separator: ":").last ?? "") else {
            throw TestKitError.malformed("a banner without a port: \(banner)")
        }
        self.port = port
    }

    /// Sends a request with the password, unless the fields contain other credentials.
    @discardableResult
    func request(
        _ method: String, _ target: String, _ body: String? = nil, headers: [(String, String)] = []
    ) throws -> TestResponse {
        let isKnown = headers.contains { $0.0 == "Authorization" }
        return try TestClient.request(
            port: port, method, target, headers: (isKnown ? [] : [("Authorization", Self.authorization)]) + headers,
            body: body.map { Array($0.utf8) })
    }

    func get(_ target: String, headers: [(String, String)] = []) throws -> TestResponse {
        try request("GET", target, headers: headers)
    }

    @discardableResult
    func post(_ target: String, _ body: String? = nil) throws -> TestResponse { try request("POST", target, body) }

    /// Opens an event stream, reads its first event, and returns the stream.
    func events() throws -> EventStreamReader {
        let stream = try TestClient.events(port: port, "/api/event", headers: [("Authorization", Self.authorization)])
        _ = try stream.next()
        return stream
    }
}

/// Runs git in a folder as a user would.
enum Repository {
    /// Creates a repository whose first commit contains every file of the folder.
    static func make(at path: String) throws {
        try git(["init", "--quiet", "--initial-branch=master"], in: path)
        try commit(at: path)
    }

    /// Commits all files of a folder.
    static func commit(at path: String) throws {
        try git(["add", "--all"], in: path)
        try git(["commit", "--quiet", "--allow-empty", "--message", "First"], in: path)
    }

    @discardableResult
    static func git(_ arguments: [String], in path: String) throws -> [String] {
        let process = try TestProcess(
            "/usr/bin/git", ["-C", path, "-c", "user.name=Anna", "-c", "user.email=anna@example.com"] + arguments)
        guard try process.waitForExit() == .exited(0) else {
            throw TestKitError.unavailable("git \(arguments): \(process.lines(of: .error))")
        }
        return process.lines(of: .output)
    }
}

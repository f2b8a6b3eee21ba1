// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TestKit

/// The response to `GET /projects/NAME/status`.
struct ProjectStatus: Decodable, Equatable {
    let name: String
    let isRunning: Bool
    let port: UInt16?
    let state: String
    let pid: Int32?
    let restarts: Int
    let version: String?
    let api: String?
    let lastError: String?
    let warnings: [String]
}

/// The response to `POST /projects/NAME/start`.
struct StartAnswer: Decodable, Equatable {
    let name: String
    let port: UInt16
    let status: String
}

extension LabMachine {
    /// Returns the project's status as the gateway reports it.
    func status(_ project: String) throws -> ProjectStatus {
        try Self.decode(ProjectStatus.self, try request("GET", "/projects/\(Self.escaped(project))/status"))
    }

    /// Starts the project over HTTP. Throws unless the status is 200.
    @discardableResult
    func start(project: String) throws -> StartAnswer {
        try Self.decode(StartAnswer.self, try tryToStart(project: project))
    }

    /// Requests the start of the project as soon as the gateway knows the new folder.
    func tryToStart(project: String) throws -> TestResponse {
        var answer: TestResponse?
        try eventually("the project \(project) to be known") {
            let latest = try request("POST", "/projects/\(Self.escaped(project))/start")
            answer = latest
            return (latest.status != 404, latest.text)
        }
        guard let answer else { throw LabFailure("the project \(project) was not asked for") }
        return answer
    }

    /// Stops the project over HTTP. Throws unless the status is 200.
    func stop(project: String) throws {
        let answer = try request("DELETE", "/projects/\(Self.escaped(project))/stop")
        guard answer.status == 200 else { throw LabFailure("stop answered \(answer.status) \(answer.text)") }
    }

    /// Creates an empty project and starts it over HTTP.
    @discardableResult
    func startNew(project: String) throws -> StartAnswer {
        try makeProject(project)
        return try start(project: project)
    }

    /// Waits until the project has the status. The gateway detects a new project within a second, and systemd's own
    /// actions take time.
    @discardableResult
    func waitForStatus(
        of project: String, _ what: String, within limit: Duration = .seconds(30),
        where predicate: (ProjectStatus) -> Bool
    ) throws -> ProjectStatus {
        try eventually(what, within: limit) {
            let status = try? status(project)
            return (status.map(predicate) ?? false, status.map { "\($0)" } ?? "no status")
        }
        return try status(project)
    }

    /// Requests the served folder from the instance through the gateway, and returns the folder.
    func folderServed(_ project: String) throws -> String {
        struct Paths: Decodable { let directory: String }
        return try Self.decode(Paths.self, try request("GET", "/projects/\(Self.escaped(project))/api/path")).directory
    }

    /// Returns properties of a user's unit as systemd reports them, one value per line.
    func property(_ names: String, of unit: String) throws -> String {
        try run("systemctl --user show --value -p \(names) \"$UNIT\"", environment: ["UNIT": unit]).output
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ answer: TestResponse) throws -> Value {
        guard answer.status == 200 else { throw LabFailure("answered \(answer.status) \(answer.text)") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(answer.body))
    }

    /// Returns a folder's name as one path segment.
    static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber)
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// Waits for a condition that has no notification, and checks it every 20 ms. `look` also returns the observed state,
/// which the error contains.
func eventually(
    _ what: String, within limit: Duration = .seconds(10), _ look: () throws -> (holds: Bool, seen: String)
) throws {
    let deadline = Deadline(after: limit)
    while true {
        let (holds, seen) = try look()
        if holds { return }
        if deadline.hasPassed { throw LabFailure("after \(limit) still waiting for \(what): \(seen)") }
        _ = poll(nil, 0, 20)
    }
}

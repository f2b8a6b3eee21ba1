// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Clients that continuously request the served folder of their projects, each on its own connections.
final class ProjectLoad: Sendable {
    /// The results of all requests so far.
    struct Result: Sendable, Equatable {
        var answered = 0
        /// The number of responses that ended early because their instance ended.
        var aborted = 0
        /// The responses from an instance of another project.
        var strangers: [String] = []
        /// The responses that are neither the project's own nor a 502 or 503 from the gateway.
        var unexpected: [String] = []
    }

    private let result = Monitor(Result())
    private let isEnding = Monitor(false)
    private let threads: [TestThread]

    init(_ machine: LabMachine, _ projects: [String], clients: Int = 2) throws {
        let (result, isEnding) = (result, isEnding)
        let authorization = ("Authorization", "Bearer \(try machine.key())")
        threads = try (0..<clients).flatMap { _ in projects }.map { project in
            try TestThread {
                var connection: TestConnection?
                while !isEnding.withLock({ $0 }) {
                    do {
                        let open = try connection ?? machine.connect(port: LabMachine.port)
                        connection = open
                        let answer = try open.exchange(
                            "GET", "/projects/\(project)/api/path", headers: [authorization], within: .seconds(30))
                        result.withLock { $0.record(answer, of: project) }
                        if answer.ending != .complete || answer.value(of: "Connection") == "close" {
                            open.close()
                            connection = nil
                        }
                        // Leave processor time to other processes, because a client without pauses receives responses
                        // without pauses.
                        if answer.status != 200 { try open.pause(.milliseconds(20)) }
                    } catch {
                        result.withLock { $0.unexpected.append("\(project): \(error)") }
                        connection = nil
                    }
                }
                connection?.close()
            }
        }
    }

    /// The number of requests to which the right instance has responded.
    var answered: Int { result.withLock { $0.answered } }

    /// Waits for `more` further responses.
    func waitForAnswers(_ more: Int) throws {
        let goal = answered + more
        _ = try result.wait(for: "\(goal) answers", within: .seconds(60)) { $0.answered >= goal ? true : nil }
    }

    /// Ends the clients and returns the results.
    func stop() throws -> Result {
        isEnding.withLock { $0 = true }
        for thread in threads { thread.join() }
        return result.withLock { $0 }
    }
}

extension ProjectLoad.Result {
    fileprivate mutating func record(_ answer: TestResponse, of project: String) {
        let isOwn = answer.text.contains("\"directory\":\"/home/vibe/\(project)\"")
        switch answer.status {
        case 200 where answer.ending == .complete && isOwn: answered += 1
        // The instance may end between the head and the body of its response, but no byte may come from another
        // project.
        case 200 where answer.ending != .complete && (isOwn || !answer.text.contains("/home/vibe")): aborted += 1
        case 200: strangers.append("\(project): \(answer.text)")
        case 502, 503: break
        default: unexpected.append("\(project): \(answer.status) \(answer.text)")
        }
    }
}

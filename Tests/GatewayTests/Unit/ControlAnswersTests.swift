// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTPServer
import HTTPTypes
import Instances
import OpenCodeFamilies
import Projects
import TestThreads
import Testing

@testable import GatewayCore

@Suite("The exact responses of the wire contract", .onTestThreads)
struct ControlAnswersTests {
    private func expect(
        _ response: ControlResponse, _ status: Int, _ body: String, at location: SourceLocation = #_sourceLocation
    ) {
        switch response {
        case .answer(let answer): expect(answer, status, body, at: location)
        case .error(let error): expect(error, status, body, at: location)
        case .stream, .loop: Issue.record("This is not a complete answer.", sourceLocation: location)
        }
    }

    private func expect(
        _ error: GatewayError, _ status: Int, _ body: String, at location: SourceLocation = #_sourceLocation
    ) {
        expect(GatewayAnswer(error), status, body, at: location)
    }

    private func expect(
        _ answer: GatewayAnswer, _ status: Int, _ body: String, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.head.status == status, sourceLocation: location)
        #expect(answer.head.fields.lines == ["Content-Type: application/json"], sourceLocation: location)
        #expect(String(decoding: answer.body, as: UTF8.self) == body, sourceLocation: location)
    }

    private func name(_ text: String = "alpha") throws -> ProjectName { try #require(ProjectName(text)) }

    private func status(_ text: String, _ state: InstanceState) throws -> ProjectStatus {
        let report = InstanceReport(
            state: state.name, since: 1_795_294_023_500_000_000, processIdentifier: 4711, restarts: 2,
            version: "1.18.33", family: .one, lastError: "It said \"no\".\nboom", warnings: ["a", "b"])
        return ProjectStatus(project: try project(text, state), report: report)
    }

    private func project(_ text: String, _ state: InstanceState, hasGit: Bool = false) throws -> Project {
        let folder = ProjectFolder(
            name: try name(text), path: "/home/vibe/\(text)", hasGit: hasGit, hasPackageJSON: !hasGit)
        return Project(folder: folder, state: state)
    }

    @Test func `the response to GET /health has the contract's body`() {
        expect(ControlAnswers.health, 200, #"{"status":"ok","service":"viberemote-gateway"}"#)
    }

    @Test func `each outcome of POST /projects/NAME/start has its status and body`() throws {
        let name = try name()

        expect(
            ControlAnswers.start(name, .started(address: .loopback(4096))), 200,
            #"{"name":"alpha","port":4096,"status":"started"}"#)
        expect(
            ControlAnswers.start(name, .alreadyRunning(address: .loopback(65535))), 200,
            #"{"name":"alpha","port":65535,"status":"already_running"}"#)
        expect(
            ControlAnswers.start(name, .pending(.booting)), 504,
            #"{"detail":"OpenCode instance for alpha is still starting (booting). The start continues: "#
                + #"request the project's status until it is ready."}"#)
        expect(ControlAnswers.start(name, .notFound), 404, #"{"detail":"Project not found: alpha"}"#)
        expect(
            ControlAnswers.start(name, .failed("Failed to start service: no \"opencode\".")), 500,
            #"{"detail":"Failed to start service: no \"opencode\"."}"#)
    }

    @Test func `each outcome of DELETE /projects/NAME/stop has its status and body`() throws {
        let name = try name()
        expect(ControlAnswers.stop(name, .stopped), 200, #"{"name":"alpha","status":"stopped"}"#)
        expect(ControlAnswers.stop(name, .notFound), 404, #"{"detail":"Project not found: alpha"}"#)
        expect(
            ControlAnswers.stop(name, .failed("Failed to stop service: busy")), 500,
            #"{"detail":"Failed to stop service: busy"}"#)
    }

    @Test(
        arguments: [
            (.ready(address: .loopback(4096)), #""is_running":true,"port":4096"#),
            (.busy(address: .loopback(1)), #""is_running":true,"port":1"#),
            (.unhealthy(address: .loopback(2), reason: "it hangs"), #""is_running":true,"port":2"#),
            (.restarting(reason: "it ended", delay: nil), #""is_running":false,"port":null"#),
            (.stopped, #""is_running":false,"port":null"#),
            (.starting, #""is_running":false,"port":null"#), (.booting, #""is_running":false,"port":null"#),
            (.probing(address: .loopback(4096)), #""is_running":false,"port":null"#),
            (.stopping, #""is_running":false,"port":null"#),
            (.failed(reason: "it ended"), #""is_running":false,"port":null"#),
        ] as [(InstanceState, String)])
    func `GET /projects/NAME/status has a port only after the instance has been healthy`(
        state: InstanceState, running: String
    ) throws {
        expect(
            ControlAnswers.status(try name(), try status("alpha", state)), 200,
            #"{"name":"alpha","path":"/home/vibe/alpha","has_git":false,"has_package_json":true,\#(running),"#
                + #""state":"\#(state.name)","since":"2026-11-21T20:47:03Z","pid":4711,"restarts":2,"#
                + #""version":"1.18.33","api":"1","last_error":"It said \"no\".\nboom","warnings":["a","b"]}"#)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (.stopped, nil, nil), (.stopping, nil, nil), (.failed(reason: "x"), nil, nil),
            (.starting, "is still starting (starting)", "1"), (.booting, "is still starting (booting)", "1"),
            (.probing(address: .loopback(4096)), "is still starting (probing)", "1"),
            (
                .restarting(reason: "x", delay: .milliseconds(4100)),
                "exited, and the gateway restarts it (restarting)", "5"
            ),
            (
                .restarting(reason: "x", delay: nil), "exited, and the gateway restarts it (restarting)", "1"
            ),
        ] as [(InstanceState?, String?, String?)])
    func `the 503 of an instance without a port has Retry-After only if it is starting or restarting`(
        state: InstanceState?, what: String?, retryAfter: String?
    ) {
        let answer = GatewayAnswer(ControlAnswers.notRunning("alpha", state))
        let sentence =
            what.map { "OpenCode instance for alpha \($0). Try again in a moment." }
            ?? "OpenCode instance for alpha is not running. Start it first."

        #expect(answer.head.status == 503)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"detail":"\#(sentence)"}"#)
        #expect(
            answer.head.fields.lines == ["Content-Type: application/json"]
                + (retryAfter.map { ["Retry-After: \($0)"] } ?? []))
    }

    @Test func `the shutdown's 503 suggests a repeat only if the instance cannot have received the request`() {
        let again = #"{"detail":"The gateway is shutting down. Try again in a moment."}"#

        expect(ControlAnswers.shuttingDown, 503, again)
        expect(ControlAnswers.shuttingDown(before: "alpha", mayBeReceived: false), 503, again)
        expect(
            ControlAnswers.shuttingDown(before: "alpha", mayBeReceived: true), 503,
            #"{"detail":"The gateway is shutting down, and OpenCode instance for alpha has not responded yet. "#
                + #"Check the session before you send the request again."}"#)
    }

    @Test func `GET /projects/NAME/status is answered with 404 for an unknown project`() throws {
        expect(ControlAnswers.status(try name("a b"), nil), 404, #"{"detail":"Project not found: a b"}"#)
    }

    @Test func `GET /projects returns an array in the order of the listing, or 500 if the listing failed`() throws {
        expect(ControlAnswers.projects(.projects([])), 200, "[]")

        let listing = [
            try project("beta", .ready(address: .loopback(1)), hasGit: true), try project("alpha", .stopped),
        ]

        expect(
            ControlAnswers.projects(.projects(listing)), 200,
            #"[{"name":"beta","path":"/home/vibe/beta","has_git":true,"has_package_json":false,"#
                + #""is_running":true,"port":1},"#
                + #"{"name":"alpha","path":"/home/vibe/alpha","has_git":false,"has_package_json":true,"#
                + #""is_running":false,"port":null}]"#)
        expect(
            ControlAnswers.projects(.failed("/home/vibe cannot be read.")), 500,
            #"{"detail":"Failed to list projects: /home/vibe cannot be read."}"#)
    }

    @Test(
        arguments: [(#"a"b\c"#, #"a\"b\\c"#), ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"), ("a/b", "a/b"), ("<&>", "<&>")])
    func `project names are escaped as JSON strings (RFC 8259)`(text: String, quoted: String) throws {
        expect(ControlAnswers.projectNotFound(text), 404, #"{"detail":"Project not found: \#(quoted)"}"#)
        guard let name = ProjectName(text) else { return }
        expect(ControlAnswers.stop(name, .stopped), 200, #"{"name":"\#(quoted)","status":"stopped"}"#)
        expect(
            ControlAnswers.start(name, .started(address: .loopback(1))), 200,
            #"{"name":"\#(quoted)","port":1,"status":"started"}"#)
    }

    @Test func `control characters in the name of an unknown project are escaped`() {
        expect(ControlAnswers.projectNotFound("a\u{1}\n"), 404, #"{"detail":"Project not found: a\u0001\n"}"#)
    }
}

import Addresses
import HTTPServer
import HTTPTypes
import Instances
import OpenCode
import Projects
import Testing

@testable import Gateway

@Suite("The exact answers of the wire contract")
struct ControlAnswersTests {
    private func expect(
        _ answer: Answer, _ status: Int, _ body: String, at location: SourceLocation = #_sourceLocation
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

    @Test("GET /health")
    func health() {
        expect(ControlAnswers.health, 200, #"{"status":"ok","service":"viberemote-gateway"}"#)
    }

    @Test("POST /projects/{name}/start")
    func start() throws {
        let name = try name()
        expect(
            ControlAnswers.start(name, .started(address: .loopback(4096))), 200,
            #"{"name":"alpha","port":4096,"status":"started"}"#)
        expect(
            ControlAnswers.start(name, .alreadyRunning(address: .loopback(65535))), 200,
            #"{"name":"alpha","port":65535,"status":"already_running"}"#)
        expect(
            ControlAnswers.start(name, .pending(.booting)), 504,
            #"{"detail":"OpenCode instance for alpha is still starting (booting) and goes on. "#
                + #"Ask its status until it is ready."}"#)
        expect(ControlAnswers.start(name, .notFound), 404, #"{"detail":"Project not found: alpha"}"#)
        expect(
            ControlAnswers.start(name, .failed("Failed to start service: no \"opencode\".")), 500,
            #"{"detail":"Failed to start service: no \"opencode\"."}"#)
    }

    @Test("DELETE /projects/{name}/stop")
    func stop() throws {
        let name = try name()
        expect(ControlAnswers.stop(name, .stopped), 200, #"{"name":"alpha","status":"stopped"}"#)
        expect(ControlAnswers.stop(name, .notFound), 404, #"{"detail":"Project not found: alpha"}"#)
        expect(
            ControlAnswers.stop(name, .failed("Failed to stop service: busy")), 500,
            #"{"detail":"Failed to stop service: busy"}"#)
    }

    @Test(
        "GET /projects/{name}/status: only an instance that has been healthy runs and has a port",
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
    func status(state: InstanceState, running: String) throws {
        expect(
            ControlAnswers.status(try name(), try status("alpha", state)), 200,
            #"{"name":"alpha","path":"/home/vibe/alpha","has_git":false,"has_package_json":true,\#(running),"#
                + #""state":"\#(state.name)","since":"2026-11-21T20:47:03Z","pid":4711,"restarts":2,"#
                + #""version":"1.18.33","api":"1","last_error":"It said \"no\".\nboom","warnings":["a","b"]}"#)
    }

    @Test(
        "503 of a request whose instance has no port: waiting helps only where it is coming",
        arguments: [
            (nil, nil, nil), (.stopped, nil, nil), (.stopping, nil, nil), (.failed(reason: "x"), nil, nil),
            (.starting, "is still starting (starting)", "1"), (.booting, "is still starting (booting)", "1"),
            (.probing(address: .loopback(4096)), "is still starting (probing)", "1"),
            (
                .restarting(reason: "x", delay: .milliseconds(4100)),
                "has ended by itself and is started again (restarting)", "5"
            ),
            (
                .restarting(reason: "x", delay: nil), "has ended by itself and is started again (restarting)", "1"
            ),
        ] as [(InstanceState?, String?, String?)])
    func notRunning(state: InstanceState?, what: String?, retryAfter: String?) {
        let answer = ControlAnswers.notRunning("alpha", state)
        let sentence =
            what.map { "OpenCode instance for alpha \($0). Try again in a moment." }
            ?? "OpenCode instance for alpha is not running. Start it first."
        #expect(answer.head.status == 503)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"detail":"\#(sentence)"}"#)
        #expect(
            answer.head.fields.lines == ["Content-Type: application/json"]
                + (retryAfter.map { ["Retry-After: \($0)"] } ?? []))
    }

    @Test("503 of a gateway that ends: what may have been taken is not to be sent again unseen")
    func shuttingDown() {
        let again = #"{"detail":"The gateway is shutting down. Try again in a moment."}"#
        expect(ControlAnswers.shuttingDown, 503, again)
        expect(ControlAnswers.shuttingDown(before: "alpha", mayBeTaken: false), 503, again)
        expect(
            ControlAnswers.shuttingDown(before: "alpha", mayBeTaken: true), 503,
            #"{"detail":"The gateway is shutting down before OpenCode instance for alpha has answered. "#
                + #"Look at the session before you send this again."}"#)
    }

    @Test("GET /projects/{name}/status of no project")
    func statusOfNoProject() throws {
        expect(ControlAnswers.status(try name("a b"), nil), 404, #"{"detail":"Project not found: a b"}"#)
    }

    @Test("GET /projects: a bare array in the order of the listing")
    func projects() throws {
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
            ControlAnswers.projects(.failed("/home/vibe can't be read.")), 500,
            #"{"detail":"Failed to list projects: /home/vibe can't be read."}"#)
    }

    @Test(
        "Names are quoted as JSON wants it (RFC 8259 §7)",
        arguments: [(#"a"b\c"#, #"a\"b\\c"#), ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"), ("a/b", "a/b"), ("<&>", "<&>")])
    func quoting(text: String, quoted: String) throws {
        expect(ControlAnswers.projectNotFound(text), 404, #"{"detail":"Project not found: \#(quoted)"}"#)
        guard let name = ProjectName(text) else { return }
        expect(ControlAnswers.stop(name, .stopped), 200, #"{"name":"\#(quoted)","status":"stopped"}"#)
        expect(
            ControlAnswers.start(name, .started(address: .loopback(1))), 200,
            #"{"name":"\#(quoted)","port":1,"status":"started"}"#)
    }

    @Test("A name that came in a path is told as text, whatever its bytes are")
    func control() {
        expect(ControlAnswers.projectNotFound("a\u{1}\n"), 404, #"{"detail":"Project not found: a\u0001\n"}"#)
    }
}

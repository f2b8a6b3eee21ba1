// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The gateway as a separate process, with its own home directory and port.
final class GatewayUnderTest: Sendable {
    static let key = "a-key-for-tests-0123456789"

    let process: TestProcess
    let home: TemporaryDirectory
    let port: UInt16

    /// Starts the gateway with further flags or environment variables.
    ///
    /// - Parameters:
    ///   - opencode: The command of its instances. By default, it is the server on the port in the folder's file
    ///     `upstream-port`.
    ///   - other: A gateway whose folders this one uses instead of its own.
    ///   - launcher: A command that becomes the gateway, if the gateway is not started directly.
    ///   - isHomeLink: Whether the home directory is named through a symbolic link.
    init(
        flags: [String] = [], environment: [String: String] = [:], opencode: String? = nil,
        after other: GatewayUnderTest? = nil, launcher: [String] = [], listen: String = "127.0.0.1:0",
        isHomeLink: Bool = false
    ) throws {
        home = try other?.home ?? TemporaryDirectory()
        let tools = try other?.tools ?? TemporaryDirectory()
        // The command announces the port of the test's own server and ends with its parent, even if the parent is
        // killed.
        let shim = try tools.write(
            """
            #!/bin/sh
            echo "$(cat upstream-words 2>/dev/null || echo 'opencode server listening on') http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        self.tools = tools
        hasOtherInstances = opencode != nil
        let homePath = isHomeLink ? "\(tools.path)/home" : home.path
        if isHomeLink {
            guard symlink(home.path, homePath) == 0 else { throw TestFailure("symlink: \(errno)") }
        }
        let program = launcher + [try BuiltProducts.path("viberemote-gateway")]
        process = try TestProcess(
            program[0],
            program.dropFirst() + ["serve", "--listen", listen, "--home", homePath]
                + ["--opencode", opencode ?? shim] + flags,
            environment: [
                "VIBE_AUTH_SECRET": Self.key, "VIBE_THREADS": "2", "VIBE_SUPERVISOR": "process", "VIBE_CONFIG": "none",
                // A fake instance receives only the requests of clients. The hub subscribes only to simulators.
                "VIBE_EVENT_HUB": opencode == nil ? "off" : "on",
                // The gateway has separate records, environment files and state.
                "HOME": home.path, "XDG_RUNTIME_DIR": tools.path, "XDG_STATE_HOME": "\(tools.path)/state",
            ].merging(environment) { $1 })
        let line = try process.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on http://") }
        guard let text = line.split(separator: ":").last, let port = UInt16(text) else {
            throw TestFailure("the gateway announced \(line)")
        }
        self.port = port
    }

    /// The default folder for the gateway's persistent state.
    var stateFolder: String { "\(tools.path)/state/viberemote-gateway" }

    private let tools: TemporaryDirectory
    private let hasOtherInstances: Bool

    deinit {
        // The default instances end with the gateway, however it ends. Other instances would continue without it.
        guard hasOtherInstances else { return }
        process.terminate()
        _ = try? process.waitForExit(within: .seconds(20))
    }

    /// The header field that authorizes a request to the gateway.
    static let authorization = ("Authorization", "Bearer \(key)")

    /// Creates a project whose instance is `instance`, and starts it.
    func start(_ instance: FakeOpenCode.Server, as project: String = "demo") throws {
        try start(port: instance.port, words: instance.family.words, as: project)
    }

    /// Creates a project whose instance is the server on this port, announced with these words, and starts it.
    func start(
        port: UInt16, words: String = FakeOpenCode.Family.one().words, as project: String = "demo"
    ) throws {
        try prepare(port: port, words: words, as: project)
        let answer = try request("POST", "/projects/\(project)/start")
        guard answer.status == 200 else { throw TestFailure("start answered \(answer.status) \(answer.text)") }
    }

    /// Creates a project whose instance is `instance`, but does not start it.
    func prepare(_ instance: FakeOpenCode.Server, as project: String = "demo") throws {
        try prepare(port: instance.port, words: instance.family.words, as: project)
    }

    /// Creates a project whose instance is the server on this port, announced with these words, but does not start it.
    func prepare(
        port: UInt16, words: String = FakeOpenCode.Family.one().words, as project: String = "demo"
    ) throws {
        try makeProject(project)
        _ = try home.write("\(port)\n", to: "\(project)/upstream-port")
        _ = try home.write("\(words)\n", to: "\(project)/upstream-words")
    }

    /// Writes a command for instances that outlive their gateway, so that the next gateway adopts them. Returns its
    /// path.
    static func outlivingCommand(in tools: TemporaryDirectory) throws -> String {
        try tools.write(
            """
            #!/bin/sh
            echo "$(cat upstream-words) http://127.0.0.1:$(cat upstream-port)"
            exec sleep 1000
            """, to: "opencode", mode: 0o755)
    }

    /// Creates an empty folder in the home directory.
    func makeProject(_ name: String) throws { _ = try home.makeDirectory(name) }

    /// Returns the content of a file in the home directory.
    func readFile(_ name: String) throws -> String {
        String(decoding: try FileTree.contents("\(home.path)/\(name)"), as: UTF8.self)
    }

    /// Creates a symbolic link in the home directory.
    func link(_ name: String, to target: String) throws {
        guard symlink(target, "\(home.path)/\(name)") == 0 else { throw TestFailure("symlink: \(errno)") }
    }

    /// Creates a named pipe in the home directory.
    func makePipe(_ name: String) throws {
        guard mkfifo("\(home.path)/\(name)", 0o600) == 0 else { throw TestFailure("mkfifo: \(errno)") }
    }

    /// Sends one request with the key on a new connection, and returns its whole response.
    func request(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestResponse {
        try TestClient.request(
            port: port, method, target, headers: [Self.authorization] + headers, body: body, within: limit)
    }

    /// Opens a connection to the gateway.
    func connect() throws -> TestConnection { try TestClient.connect(port: port) }

    /// The lines logged so far.
    var log: [String] { process.lines(of: .error) }

    /// Waits until the log contains the phrase this many times, because log lines arrive later than the actions that
    /// they report.
    func waitForLog(_ phrase: String, times: Int = 1) throws {
        try process.output.wait("\(times) × \(phrase)", within: .seconds(60)) { lines in
            lines.count { $0.stream == .error && $0.text.contains(phrase) } >= times
        }
    }

    /// Runs the closure while the gateway is suspended, so that the gateway sees all its effects at the same moment.
    func whileStopped(_ body: () throws -> Void) rethrows {
        kill(process.pid, SIGSTOP)
        defer { kill(process.pid, SIGCONT) }
        try body()
    }

    /// Terminates the gateway as an administrator would, and waits for its exit.
    @discardableResult
    func terminate(within limit: Duration = .seconds(20)) throws -> TestProcess.ExitStatus {
        process.terminate()
        return try process.waitForExit(within: limit)
    }
}

/// A failed precondition of a test.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

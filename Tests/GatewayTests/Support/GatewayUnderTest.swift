import Glibc
import TestKit

/// The gateway as a process of its own, with a home folder of its own, on a port of its own.
final class GatewayUnderTest: Sendable {
    static let key = "a-key-for-tests-0123456789"

    let process: TestProcess
    let home: TemporaryDirectory
    let port: UInt16

    /// Starts the gateway with further flags or environment. Its instances are whatever the folder's `upstream-port` names, unless
    /// another command is given. It works on the folders of `other`, where one is given, in place of its own. `launcher` is the
    /// command that becomes the gateway, where that is not started as it is. `isHomeLink`: whether the home folder is
    /// named through a symbolic link.
    init(
        flags: [String] = [], environment: [String: String] = [:], opencode: String? = nil,
        after other: GatewayUnderTest? = nil, launcher: [String] = [], listen: String = "127.0.0.1:0",
        isHomeLink: Bool = false
    ) throws {
        home = try other?.home ?? TemporaryDirectory()
        let tools = try other?.tools ?? TemporaryDirectory()
        // It announces the port of the test's own server and ends with its parent, however that ends.
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
                // What is programmed byte for byte gets the clients' requests only; simulators are listened to.
                "VIBE_EVENT_HUB": opencode == nil ? "off" : "on",
                // Records, environment files and state of its own.
                "HOME": home.path, "XDG_RUNTIME_DIR": tools.path, "XDG_STATE_HOME": "\(tools.path)/state",
            ].merging(environment) { $1 })
        let line = try process.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on http://") }
        guard let text = line.split(separator: ":").last, let port = UInt16(text) else {
            throw TestFailure("the gateway announced \(line)")
        }
        self.port = port
    }

    /// Where it keeps what outlasts it, unless told otherwise.
    var stateFolder: String { "\(tools.path)/state/viberemote-gateway" }

    private let tools: TemporaryDirectory
    private let hasOtherInstances: Bool

    deinit {
        // The usual stand-ins end with the gateway, however it ends. Others would go on without it.
        guard hasOtherInstances else { return }
        process.terminate()
        _ = try? process.waitForExit(within: .seconds(20))
    }

    /// The field that opens the gateway.
    static let authorization = ("Authorization", "Bearer \(key)")

    /// Makes a project whose instance is `instance`, and starts it.
    func start(_ instance: FakeInstance, as project: String = "demo") throws {
        try start(port: instance.port, words: instance.family.words, as: project)
    }

    /// Makes a project whose instance is the server on this port, announced in these words, and starts it.
    func start(
        port: UInt16, words: String = FakeInstance.Family.one().words, as project: String = "demo"
    ) throws {
        try makeProject(project)
        _ = try home.write("\(port)\n", to: "\(project)/upstream-port")
        _ = try home.write("\(words)\n", to: "\(project)/upstream-words")
        let answer = try request("POST", "/projects/\(project)/start")
        guard answer.status == 200 else { throw TestFailure("start answered \(answer.status) \(answer.text)") }
    }

    /// Makes an empty folder under the home folder.
    func makeProject(_ name: String) throws { _ = try home.makeDirectory(name) }

    /// The content of a file under the home folder.
    func read(_ name: String) throws -> String {
        String(decoding: try FileTree.read("\(home.path)/\(name)"), as: UTF8.self)
    }

    /// Makes a symbolic link under the home folder.
    func link(_ name: String, to target: String) throws {
        guard symlink(target, "\(home.path)/\(name)") == 0 else { throw TestFailure("symlink: \(errno)") }
    }

    /// Makes a named pipe under the home folder.
    func makePipe(_ name: String) throws {
        guard mkfifo("\(home.path)/\(name)", 0o600) == 0 else { throw TestFailure("mkfifo: \(errno)") }
    }

    /// One request with the key on a connection of its own, and its whole answer.
    func request(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestResponse {
        try TestClient.request(
            port, method, target, headers: [Self.authorization] + headers, body: body, within: limit)
    }

    /// An open connection to the gateway.
    func connect() throws -> TestConnection { try TestClient.connect(port: port) }

    /// The log's lines so far.
    var log: [String] { process.lines(of: .error) }

    /// Waits until the log has said that so often: what was done before can still be on its way here.
    func waitForLog(_ phrase: String, times: Int = 1) throws {
        try process.output.wait("\(times) × \(phrase)", within: .seconds(60)) { lines in
            lines.count { $0.stream == .error && $0.text.contains(phrase) } >= times
        }
    }

    /// Does something while the gateway stands still: it hears of all of that in the same moment.
    func whileStopped(_ body: () throws -> Void) rethrows {
        kill(process.pid, SIGSTOP)
        defer { kill(process.pid, SIGCONT) }
        try body()
    }

    /// Ends the gateway as an administrator would, and waits until it is gone.
    @discardableResult
    func end(within limit: Duration = .seconds(20)) throws -> TestProcess.ExitStatus {
        process.terminate()
        return try process.waitForExit(within: limit)
    }
}

/// Something that a test relies on did not come about.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

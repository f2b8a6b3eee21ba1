internal import Glibc
internal import Logging
internal import OpenCode
internal import Systemd

/// One OpenCode server as a child process: reads its output for the port, the log and the last lines.
struct ProcessInstance {
    /// How many of the last lines are kept.
    private static let tailLength = 20

    let run: Run
    private let logger: Logger
    private let child: ChildProcess
    private var banner = BannerScanner()
    private var standardOutput = OutputLines()
    private var standardError = OutputLines()
    private(set) var tail: [String] = []

    init(run: Run, child: ChildProcess, logger: Logger) {
        self.run = run
        self.child = child
        self.logger = logger
    }

    func terminate() { child.signalGroup(SIGTERM) }
    func kill() { child.signalGroup(SIGKILL) }

    /// Takes what the child did; returns what that means.
    mutating func receive(_ event: ChildProcess.Event) -> SupervisedEvent? {
        switch event {
        case .output(.standardOutput, let bytes):
            for line in standardOutput.split(bytes) { keep(line) }
            return banner.scan(bytes[...]).map { .announced(run: run.id, port: $0) }
        case .output(.standardError, let bytes):
            for line in standardError.split(bytes) { keep(line) }
            return nil
        case .exited(let exit):
            for line in [standardOutput.finish(), standardError.finish()].compactMap({ $0 }) { keep(line) }
            return .exited(run: run.id, how: exit.description, tail: tail, next: .failed)
        }
    }

    private mutating func keep(_ line: String) {
        var line = line
        // Should a version of OpenCode ever print the password that it was given.
        if let secret = run.credentials?.password, line.contains(secret) {
            line = line.replacing(secret, with: "***")
        }
        logger.info(line)
        tail.append(line)
        if tail.count > Self.tailLength { tail.removeFirst() }
    }
}

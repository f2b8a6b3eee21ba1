internal import Glibc
internal import Logging
internal import OpenCode
internal import Systemd

/// One OpenCode server as a child process: reads its output for the port, the log and the last lines.
// Confined to the control loop, as ChildProcess checks.
final class ProcessInstance: SupervisedInstance, @unchecked Sendable {
    /// How many of the last lines are kept.
    private static let tailLength = 20

    private let secret: String
    private let logger: Logger
    private let observer: @Sendable (SupervisedEvent) -> Void
    private var child: ChildProcess?
    private var banner = BannerScanner()
    private var standardOutput = OutputLines()
    private var standardError = OutputLines()
    private(set) var tail: [String] = []

    init(secret: String, logger: Logger, observer: @escaping @Sendable (SupervisedEvent) -> Void) {
        self.secret = secret
        self.logger = logger
        self.observer = observer
    }

    func run(_ command: ChildCommand, on loop: SystemEventLoop) throws(SystemdError) {
        child = try ChildProcess(command, on: loop) { [weak self] in self?.receive($0) }
    }

    var processIdentifier: Int32 { child?.identifier ?? 0 }
    func terminate() { child?.signalGroup(SIGTERM) }
    func kill() { child?.signalGroup(SIGKILL) }

    private func receive(_ event: ChildProcess.Event) {
        switch event {
        case .output(.standardOutput, let bytes):
            for line in standardOutput.split(bytes) { keep(line) }
            if let port = banner.scan(bytes[...]) { observer(.announced(port: port)) }
        case .output(.standardError, let bytes):
            for line in standardError.split(bytes) { keep(line) }
        case .exited(let exit):
            for line in [standardOutput.finish(), standardError.finish()].compactMap({ $0 }) { keep(line) }
            observer(.exited(how: exit.description, tail: tail))
        }
    }

    private func keep(_ line: String) {
        // Should a version of OpenCode ever print the password that it was given.
        let line = line.contains(secret) ? line.replacing(secret, with: "***") : line
        logger.info(line)
        tail.append(line)
        if tail.count > Self.tailLength { tail.removeFirst() }
    }
}

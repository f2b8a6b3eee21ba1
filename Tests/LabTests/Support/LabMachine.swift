// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// A virtual machine with a real systemd that a test boots, uses and shuts down. When the object is released, the
/// machine is removed with all its files.
final class LabMachine: Sendable {
    /// The users that every machine has.
    enum User: String, Sendable {
        case root
        /// The owner of the projects, whose user manager runs permanently (lingering).
        case vibe
        /// A user without permissions for the projects.
        case other
    }

    let root: LabRoot
    let name: String
    private let process: TestProcess
    private let firstProcess = Monitor<Int32?>(nil)
    private static let count = Monitor(0)

    /// Boots a machine and waits until it is up.
    ///
    /// - Parameters:
    ///   - layer: The files of another machine, on which this machine boots.
    ///   - keep: The folder that keeps this machine's files after its shutdown.
    ///   - options: Further options for systemd-nspawn.
    init(_ root: LabRoot, on layer: String? = nil, keep: String? = nil, options: [String] = []) throws {
        let number = LabMachine.count.withLock { count in
            count += 1
            return count
        }
        self.root = root
        name = "t\(getpid())-\(number)"
        process = try TestProcess(
            Lab.script,
            ["boot", "--with", "\(getpid())"] + (layer.map { ["--on", $0] } ?? [])
                + (keep.map { ["--keep", $0] } ?? [])
                + [root.rawValue, name, "--", "--bind-ro=\(Lab.checkout):\(Lab.checkoutInside)"] + options)
        try waitUntilUp()
    }

    deinit {
        // End the machine immediately and clean up, because the end of this process alone would leave the machine's
        // empty cgroups.
        process.terminate()
        _ = try? process.waitForExit(within: .seconds(20))
    }

    /// Waits until the machine has started `boots` times.
    private func waitUntilUp(boots: Int = 1) throws {
        var seen = 0
        try process.waitForLine(on: .output, within: .seconds(60)) { line in
            if line.hasPrefix("lab: \(name) is up") { seen += 1 }
            return seen == boots
        }
    }

    private var boots: Int { process.lines(of: .output).count { $0.hasPrefix("lab: \(name) is up") } }

    /// Reboots as an administrator would, and waits until the machine is up again.
    func reboot() throws {
        let before = boots
        _ = try run("systemctl reboot", as: .root, check: false)
        try waitUntilUp(boots: before + 1)
        firstProcess.withLock { $0 = nil }
    }

    /// Shuts down as an administrator would, and waits until the machine is gone.
    func shutDown() throws {
        let end = try TestProcess(Lab.script, ["end", name])
        guard try end.waitForExit(within: .seconds(120)) == .exited(0) else {
            throw LabFailure("\(name) did not shut down: \(end.lines(of: .error))")
        }
        _ = try process.waitForExit(within: .seconds(20))
    }

    /// Returns the process id of the machine's first process, as seen by the test.
    func leader() throws -> Int32 {
        try firstProcess.withLock { known in
            if let known { return known }
            let found = try findLeader()
            known = found
            return found
        }
    }

    private func findLeader() throws -> Int32 {
        let process = try TestProcess(Lab.script, ["leader", name])
        _ = try process.waitForExit()
        guard let pid = process.lines(of: .output).first.flatMap(Int32.init) else {
            throw LabFailure("\(name) has no first process: \(process.lines(of: .error))")
        }
        return pid
    }

    // MARK: - Commands

    /// The output and the exit status of a command.
    struct Outcome: Sendable {
        let status: TestProcess.ExitStatus
        let output: String
        let error: String

        var isSuccess: Bool { status == .exited(0) }
    }

    /// Starts a shell command inside the machine without waiting for its end. `capabilities` are the capabilities that
    /// the command keeps although its user is not root, such as `sys_ptrace` (capabilities(7)).
    func start(
        _ command: String, as user: User = .vibe, environment: [String: String] = [:], capabilities: [String] = []
    ) throws -> TestProcess {
        let variables = environment.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        let kept = capabilities.flatMap { ["-c", $0] }
        return try TestProcess(
            Lab.script, ["run", "-u", user.rawValue] + kept + variables + [name, "/bin/sh", "-c", command])
    }

    /// Runs a shell command inside the machine. Throws if it fails, unless `check` is false.
    @discardableResult
    func run(
        _ command: String, as user: User = .vibe, environment: [String: String] = [:], capabilities: [String] = [],
        check: Bool = true, within limit: Duration = .seconds(60)
    ) throws -> Outcome {
        let process = try start(command, as: user, environment: environment, capabilities: capabilities)
        let status = try process.waitForExit(within: limit)
        let outcome = Outcome(
            status: status, output: process.lines(of: .output).joined(separator: "\n"),
            error: process.lines(of: .error).joined(separator: "\n"))
        guard outcome.isSuccess || !check else {
            throw LabFailure("\(command): \(status)\n\(outcome.output)\n\(outcome.error)")
        }
        return outcome
    }

    /// Returns a command's standard output.
    func output(_ command: String, as user: User = .vibe) throws -> String { try run(command, as: user).output }

    // MARK: - Files

    /// Returns a file's content as seen inside the machine.
    func readFile(_ path: String) throws -> String {
        String(decoding: try FileTree.contents("/proc/\(try leader())/root\(path)"), as: UTF8.self)
    }

    /// Writes a file that belongs to a user, and creates missing folders of its path.
    func write(_ content: String, to path: String, mode: UInt32 = 0o644, as user: User = .vibe) throws {
        let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        try run("mkdir -p -- \"$FOLDER\" && : >>\"$FILE\"", as: user, environment: ["FOLDER": folder, "FILE": path])
        // Write the file from outside, so that no command line contains a secret.
        try FileTree.write(content, to: "/proc/\(try leader())/root\(path)", mode: mode)
    }

    // MARK: - Network

    /// Connects to 127.0.0.1 inside the machine.
    func connect(port: UInt16, within limit: Duration = TestConnection.defaultLimit) throws -> TestConnection {
        try NetworkNamespace(of: try leader()).run { try TestClient.connect(port: port, within: limit) }
    }
}

/// A precondition of a lab test that was not met.
struct LabFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

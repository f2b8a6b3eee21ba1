// SPDX-License-Identifier: Apache-2.0

import Locking
import Logging
import Settings
import Storage

/// The access of commands to a running gateway, or to the databases of a gateway that does not run.
enum GatewayAccess {
    /// Returns the reason why no gateway responds at the address in the settings; nil if a gateway responds.
    static func failure(_ configuration: Configuration) -> GatewayCall.Failure? {
        do throws(GatewayCall.Failure) {
            // Do not send the key to another program that uses the address.
            try GatewayCall.requireGateway(at: configuration.listen)
            return nil
        } catch {
            return error
        }
    }

    /// Writes that the command uses a database, because no gateway responds.
    static func announceDatabase(_ configuration: Configuration) {
        StandardStreams.writeError(
            "No gateway responds at \(configuration.listen), so the command uses the database in "
                + "\(PlainText.line(configuration.stateFolder)).")
    }

    /// Returns the error for a database that cannot be used.
    ///
    /// - Parameters:
    ///   - failure: The reason why no gateway responds.
    ///   - consequence: A sentence about the consequence, with a space after it.
    static func unusable(
        _ error: StorageError, _ failure: GatewayCall.Failure, consequence: String = ""
    ) -> CommandError {
        guard case .locked(let holder) = error.kind else {
            return CommandError(
                "No gateway responds, and its database cannot be used. \(consequence)\(failure) \(error)")
        }
        let process = holder.map { "process \($0)" } ?? "another process"
        return CommandError(
            "A gateway (\(process)) uses the database but does not respond. \(consequence)\(failure) "
                + "Set --listen to the address of the running gateway.")
    }

    /// Returns the error for an unsuccessful response of the running gateway.
    static func refusal(_ response: GatewayCall.Response, _ configuration: Configuration) -> CommandError {
        CommandError(GatewayCall.refusal(response, configuration), exitCode: exitCode(response.status))
    }

    /// Returns the exit code for a refused request. The status 400 means that a value is wrong.
    static func exitCode(_ status: Int) -> Int32 {
        status == 400 ? Command.usageExitCode : CommandError.defaultExitCode
    }

    /// A log without output. Commands report errors themselves.
    static let noLog = Logger(sink: NoLog(), level: .error)
}

/// The error of a command, as a message.
struct CommandError: Error, CustomStringConvertible {
    /// The exit code of a request that was refused or not possible.
    static let defaultExitCode: Int32 = 1

    let description: String
    /// The exit code of the program.
    let exitCode: Int32

    init(_ description: String, exitCode: Int32 = defaultExitCode) {
        self.description = description
        self.exitCode = exitCode
    }

    static let notAGateway = CommandError(
        "The gateway's response has an unknown form. Use the program `\(GatewayVersion.program)` of the running gateway's version."
    )
}

private struct NoLog: LogSink {
    func write(_ record: LogRecord) {}
}

/// Waits for asynchronous functions on the main thread, which has nothing else to do.
enum Blocking {
    private final class Outcome<Value: Sendable>: Sendable {
        private let value = Monitor<Value?>(nil)

        func complete(_ value: Value) {
            self.value.withLock { $0 = value }
            self.value.notifyAll()
        }

        func wait() -> Value {
            while true {
                if let value = value.wait(until: { $0 != nil }, then: { $0 }) { return value }
            }
        }
    }

    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task { outcome.complete(await body()) }
        return outcome.wait()
    }
}

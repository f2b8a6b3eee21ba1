// SPDX-License-Identifier: Apache-2.0

import GatewayServer
import HTTPServer
import HTTPTypes
import JSONText
import KeyAdministration
import Keys
import Locking
import Logging
internal import Projects
import Settings
import Storage

/// The access of the command `key` to the named keys: through the running gateway, or to the database of a gateway that
/// does not run.
enum KeyAccess {
    /// The gateway at this address.
    case gateway(Configuration)
    /// The database, which this process has locked, and the settings of its gateway.
    case database(KeyService, Store, Configuration)

    /// Finds the running gateway. If there is none, locks the database, unless the request needs a gateway.
    ///
    /// While a gateway holds the lock, only the gateway can change the keys, because it would not notice a change of the
    /// database. A revocation would then have no effect.
    init(_ configuration: Configuration, needsGateway: Bool = false) throws(KeyCommandError) {
        let failure: GatewayCall.Failure
        do throws(GatewayCall.Failure) {
            // Do not send the key to another program that uses the address.
            try GatewayCall.requireGateway(at: configuration.listen)
            self = .gateway(configuration)
            return
        } catch {
            failure = error
        }
        guard !needsGateway else { throw KeyCommandError("No gateway responds. \(failure)") }
        do throws(StorageError) {
            let store = try Store(StateFile(folder: configuration.stateFolder, migrations: Migration.all)) { _ in }
            let service = KeyService(
                .success(KeyStore(store)), log: Logger(sink: NoLog(), level: .error), delay: { _, _ in },
                publish: { _ in })
            Blocking.wait { await service.open() }
            self = .database(service, store, configuration)
            StandardStreams.writeError(
                "No gateway responds at \(configuration.listen), so the command uses the database in "
                    + "\(PlainText.line(configuration.stateFolder)).")
        } catch {
            throw Self.error(error, failure)
        }
    }

    private static func error(_ error: StorageError, _ failure: GatewayCall.Failure) -> KeyCommandError {
        guard case .locked(let holder) = error.kind else {
            return KeyCommandError(
                "No gateway responds, and its database cannot be used. Nothing was changed. \(failure) \(error)")
        }
        let process = holder.map { "process \($0)" } ?? "another process"
        return KeyCommandError(
            "A gateway (\(process)) uses the database but does not respond. Nothing was changed. \(failure) "
                + "Set --listen to the address of the running gateway.")
    }

    /// Performs an operation. Returns the body of the response.
    func perform(_ operation: KeyOperation, _ body: JSON? = nil) throws(KeyCommandError) -> [UInt8] {
        switch self {
        case .gateway(let configuration):
            let response: GatewayCall.Response
            do throws(GatewayCall.Failure) {
                response = try GatewayCall.perform(
                    operation.method, operation.target, body: body?.bytes, to: configuration.listen,
                    key: configuration.keys.first?.secret)
            } catch {
                throw KeyCommandError(
                    "\(error) The change may have been made: check with `\(GatewayVersion.program) key list`.")
            }
            guard (200..<300).contains(response.status) else {
                throw KeyCommandError(
                    GatewayCall.refusal(response, configuration), exitCode: Self.exitCode(response.status))
            }
            return response.body
        case .database(let service, _, _):
            let caller = KeyCaller.commandLine
            let body = body?.bytes ?? []
            let result = Blocking.wait { await service.respond(to: operation, body: body, for: caller) }
            do throws(GatewayError) { return try result.get().body } catch {
                throw KeyCommandError(PlainText.lines(error.sentence), exitCode: Self.exitCode(error.status))
            }
        }
    }

    /// Returns the exit code for a refused request. The status 400 means that a value is wrong.
    private static func exitCode(_ status: Int) -> Int32 { status == 400 ? Command.usageExitCode : 1 }

    /// Closes the database.
    func close() {
        if case .database(_, let store, _) = self { store.close() }
    }

    /// Returns the names of the projects; nil if they are unknown.
    func projectNames() -> Set<String>? {
        switch self {
        case .gateway(let configuration):
            let response = try? GatewayCall.perform(
                .get, "/projects", to: configuration.listen, key: configuration.keys.first?.secret)
            guard let response, response.status == 200 else { return nil }
            return [ProjectView](jsonText: response.body).map { Set($0.map(\.name)) }
        case .database(_, _, let configuration):
            let reader = DiskProjectReader(
                home: configuration.home, followsLinks: configuration.projects.followsLinks)
            return (try? reader.folders()).map { Set($0.map(\.name.string)) }
        }
    }
}

/// A log without output. The command reports errors itself.
private struct NoLog: LogSink {
    func write(_ record: LogRecord) {}
}

/// Waits for asynchronous functions on the main thread, which has nothing else to do.
private enum Blocking {
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

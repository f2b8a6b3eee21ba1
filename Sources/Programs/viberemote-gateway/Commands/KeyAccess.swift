// SPDX-License-Identifier: Apache-2.0

import GatewayServer
import HTTPServer
import HTTPTypes
import JSONText
import KeyAdministration
import Keys
import Locking
import Logging
import Settings
import Storage

/// The access of the command `key` to the named keys: through the running gateway, or to the database of a gateway that
/// does not run.
enum KeyAccess {
    /// The gateway at this address.
    case gateway(Configuration)
    /// The database, which this process has locked.
    case database(KeyService, Store)

    /// Finds the running gateway. If there is none, locks the database.
    ///
    /// While a gateway holds the lock, only the gateway can change the keys, because it would not notice a change of the
    /// database. A revocation would then have no effect.
    init(_ configuration: Configuration) throws(KeyCommandError) {
        let failure: GatewayCall.Failure
        do throws(GatewayCall.Failure) {
            // Do not send the key to another program that uses the address.
            try GatewayCall.requireGateway(at: configuration.listen)
            self = .gateway(configuration)
            return
        } catch {
            failure = error
        }
        do throws(StorageError) {
            let store = try Store(StateFile(folder: configuration.stateFolder, migrations: Migration.all)) { _ in }
            let service = KeyService(
                .success(KeyStore(store)), log: Logger(sink: NoLog(), level: .error), delay: { _, _ in },
                publish: { _ in })
            Blocking.wait { await service.open() }
            self = .database(service, store)
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
                throw KeyCommandError(GatewayCall.refusal(response, configuration))
            }
            return response.body
        case .database(let service, _):
            let caller = KeyCaller(name: "command line", .administrator)
            let body = body?.bytes ?? []
            let result = Blocking.wait { await service.respond(to: operation, body: body, for: caller) }
            do throws(GatewayError) { return try result.get().body } catch {
                throw KeyCommandError(PlainText.lines(error.sentence))
            }
        }
    }

    /// Closes the database.
    func close() {
        if case .database(_, let store) = self { store.close() }
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

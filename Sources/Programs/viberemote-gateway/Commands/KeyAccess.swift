// SPDX-License-Identifier: Apache-2.0

import Audit
import AuditServing
import GatewayServer
import HTTPServer
import HTTPTypes
import JSONText
import KeyAdministration
import Keys
internal import Projects
import Settings
import Storage

/// The access of the command `key` to the named keys: through the running gateway, or to the database of a gateway that
/// does not run.
enum KeyAccess {
    /// The gateway at this address.
    case gateway(Configuration)
    /// The database, which this process has locked, with the audit log and the settings of its gateway.
    case database(KeyService, Store, AuditService?, Configuration)

    /// Finds the running gateway. If there is none, locks the database, unless the request needs a gateway.
    ///
    /// While a gateway holds the lock, only the gateway can change the keys, because it would not notice a change of the
    /// database. A revocation would then have no effect.
    init(_ configuration: Configuration, needsGateway: Bool = false) throws(CommandError) {
        guard let failure = GatewayAccess.failure(configuration) else {
            self = .gateway(configuration)
            return
        }
        guard !needsGateway else { throw CommandError("No gateway responds. \(failure)") }
        do throws(StorageError) {
            let store = try Store(StateFile(folder: configuration.stateFolder, migrations: Migration.all)) { _ in }
            let audit = Self.audit(configuration)
            let service = KeyService(
                .success(KeyStore(store)), log: GatewayAccess.noLog, audit: audit, delay: { _, _ in },
                publish: { _ in })
            Blocking.wait { await service.open() }
            self = .database(service, store, audit, configuration)
            GatewayAccess.announceDatabase(configuration)
        } catch {
            throw GatewayAccess.unusable(error, failure, consequence: "Nothing was changed. ")
        }
    }

    /// Opens the audit log. If it cannot be opened, the command nevertheless makes its change, because a key may have to be
    /// revoked at once.
    private static func audit(_ configuration: Configuration) -> AuditService? {
        do throws(StorageError) {
            let store = try Store(StateFile.audit(in: configuration.stateFolder)) { _ in }
            return AuditService(
                store, limits: AuditLimits(time: configuration.access.auditKeep), log: GatewayAccess.noLog,
                delay: { _, _ in })
        } catch {
            StandardStreams.writeError("The audit log cannot be used, so changes are not recorded: \(error)")
            return nil
        }
    }

    /// Performs an operation. Returns the body of the response.
    func perform(_ operation: KeyOperation, _ body: JSON? = nil) throws(CommandError) -> [UInt8] {
        switch self {
        case .gateway(let configuration):
            let response: GatewayCall.Response
            do throws(GatewayCall.Failure) {
                response = try GatewayCall.perform(
                    operation.method, operation.target, body: body?.bytes, to: configuration.listen,
                    key: configuration.keys.first?.secret)
            } catch {
                throw CommandError(
                    "\(error) The change may have been made: check with `\(GatewayVersion.program) key list`.")
            }
            guard (200..<300).contains(response.status) else {
                throw GatewayAccess.refusal(response, configuration)
            }
            return response.body
        case .database(let service, _, _, _):
            let body = body?.bytes ?? []
            let result = Blocking.wait { await service.respond(to: operation, body: body, for: .commandLine) }
            do throws(GatewayError) { return try result.get().body } catch {
                throw CommandError(PlainText.lines(error.sentence), exitCode: GatewayAccess.exitCode(error.status))
            }
        }
    }

    /// Closes the databases.
    func close() {
        guard case .database(_, let store, let audit, _) = self else { return }
        store.close()
        audit?.close()
    }

    /// Returns the names of the projects; nil if they are unknown.
    func projectNames() -> Set<String>? {
        switch self {
        case .gateway(let configuration):
            let response = try? GatewayCall.perform(
                .get, "/projects", to: configuration.listen, key: configuration.keys.first?.secret)
            guard let response, response.status == 200 else { return nil }
            return [ProjectView](jsonText: response.body).map { Set($0.map(\.name)) }
        case .database(_, _, _, let configuration):
            let reader = DiskProjectReader(
                home: configuration.home, followsLinks: configuration.projects.followsLinks)
            return (try? reader.folders()).map { Set($0.map(\.name.string)) }
        }
    }
}

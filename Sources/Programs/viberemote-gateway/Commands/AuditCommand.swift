// SPDX-License-Identifier: Apache-2.0

import Audit
import AuditServing
import Encodings
import HTTPTypes
import JSONText
import Settings
import Storage

/// The command `audit`, which prints entries of the audit log.
enum AuditCommand {
    private static let refusedExitCode: Int32 = 1

    /// Performs the request, prints the entries, and returns the exit code.
    static func run(_ request: AuditRequest, isJSON: Bool, configuration: Configuration) -> Int32 {
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        do throws(CommandError) {
            let access = try AuditAccess(configuration)
            defer { access.close() }
            let found = try entries(request, access)
            if found.lost > 0 {
                StandardStreams.writeError(
                    "\(found.lost) entries could not be written since the gateway started. See the gateway's log.")
            }
            let text = isJSON ? found.json : try AuditView.table(found.entries)
            guard StandardStreams.writeLine(text) else {
                throw CommandError("The result cannot be printed. Free space for the output.")
            }
            return 0
        } catch {
            StandardStreams.writeError(error.description)
            return refusedExitCode
        }
    }

    /// The entries that a request selects, the newest first.
    private struct Found {
        var entries: [JSON] = []
        var lost = 0

        /// The entries in the form of the HTTP API.
        var json: String {
            let object: JSON = [
                "entries": .array(entries), "next": .null, "lost": .number(Number(lost)),
            ]
            return String(decoding: object.bytes, as: UTF8.self)
        }
    }

    /// Returns the newest entries, or all entries since the time in the request.
    private static func entries(_ request: AuditRequest, _ access: AuditAccess) throws(CommandError) -> Found {
        var found = Found()
        var before: Int?
        // Each page has the same beginning, although time passes between the pages.
        let since = request.since.flatMap(QuantityUnit.duration).map {
            Timestamp.utc(milliseconds: WallClock.milliseconds - $0.milliseconds)
        }
        repeat {
            let parameters: [(AuditQuery.Name, String?)] = [
                (.key, request.key), (.project, request.project), (.since, since),
                (.limit, since == nil ? nil : "\(AuditQuery.limits.upperBound)"), (.before, before.map { "\($0)" }),
            ]
            let body = try access.page(parameters.compactMap { name, value in value.map { (name, $0) } })
            guard let page = AuditPageView(jsonText: body) else { throw .notAGateway }
            found.entries += page.entries
            found.lost = page.lost
            before = since == nil ? nil : page.next
        } while before != nil
        return found
    }
}

/// The access of the command `audit` to the entries: through the running gateway, or to the database of a gateway that
/// does not run.
private enum AuditAccess {
    case gateway(Configuration)
    /// The database, which this process has locked.
    case database(AuditService)

    init(_ configuration: Configuration) throws(CommandError) {
        guard let failure = GatewayAccess.failure(configuration) else {
            self = .gateway(configuration)
            return
        }
        do throws(StorageError) {
            let store = try Store(StateFile.audit(in: configuration.stateFolder)) { _ in }
            self = .database(
                AuditService(
                    store, limits: AuditLimits(time: configuration.access.auditKeep), log: GatewayAccess.noLog,
                    delay: { _, _ in }))
            GatewayAccess.announceDatabase(configuration)
        } catch {
            throw GatewayAccess.unusable(error, failure)
        }
    }

    /// Returns the JSON of a page.
    func page(_ parameters: [(name: AuditQuery.Name, value: String)]) throws(CommandError) -> [UInt8] {
        switch self {
        case .gateway(let configuration):
            let query = parameters.map { name, value in
                "\(name.rawValue)=\(String(decoding: PercentEncoding.encode(value.utf8), as: UTF8.self))"
            }
            let target = AuditService.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            let response: GatewayCall.Response
            do throws(GatewayCall.Failure) {
                response = try GatewayCall.perform(
                    .get, target, to: configuration.listen, key: configuration.keys.first?.secret)
            } catch {
                throw CommandError(error.description)
            }
            guard response.status == 200 else {
                throw GatewayAccess.refusal(response, configuration)
            }
            return response.body
        case .database(let service):
            let result: Result<[UInt8], CommandError> = Blocking.wait {
                do throws(AuditQuery.InvalidValue) {
                    let query = try AuditQuery(at: WallClock.milliseconds) { name in
                        parameters.first { $0.name == name }?.value
                    }
                    return await Self.page(query, of: service)
                } catch {
                    return .failure(CommandError("The value of \(error.name.rawValue) is invalid: \(error.advice)."))
                }
            }
            return try result.get()
        }
    }

    private static func page(_ query: AuditQuery, of service: AuditService) async -> Result<[UInt8], CommandError> {
        do throws(StorageError) {
            return .success(try await service.page(query).json.bytes)
        } catch {
            return .failure(CommandError("The audit log cannot be read: \(error)"))
        }
    }

    /// Closes the database.
    func close() {
        if case .database(let service) = self { service.close() }
    }
}

/// A page of entries in a response.
private struct AuditPageView: JSONReadable {
    let entries: [JSON]
    let next: Int?
    let lost: Int

    init(json: JSON) throws(JSONMismatch) {
        entries = try json.required("entries")
        next = try json.optional("next")
        lost = try json.required("lost")
    }
}

/// An entry in a response.
private struct AuditView: JSONReadable {
    private let time: String
    private let keyID: String?
    private let key: String?
    private let address: String?
    private let project: String?
    private let action: String
    private let route: String?
    private let subjectID: String?
    private let subject: String?
    private let choice: String?
    private let waited: Int?
    private let result: String?
    private let count: Int?

    init(json: JSON) throws(JSONMismatch) {
        time = try json.required("time")
        keyID = try json.optional("key_id")
        key = try json.optional("key")
        address = try json.optional("address")
        project = try json.optional("project")
        action = try json.required("action")
        route = try json.optional("route")
        subjectID = try json.optional("subject_id")
        subject = try json.optional("subject")
        choice = try json.optional("choice")
        waited = try json.optional("waited_ms")
        result = try json.optional("result")
        count = try json.optional("count")
    }

    /// Returns one line for each entry, the newest last, below a heading.
    static func table(_ entries: [JSON]) throws(CommandError) -> String {
        guard !entries.isEmpty else { return "There are no entries." }
        var rows: [[String]] = []
        for entry in entries.reversed() {
            guard let view = try? AuditView(json: entry) else { throw .notAGateway }
            rows.append(view.row.map(PlainText.line))
        }
        return PlainText.table(
            [["TIME", "KEY", "ID", "ADDRESS", "PROJECT", "ACTION", "RESULT", "DETAILS"]] + rows)
    }

    private var row: [String] {
        [
            time, key ?? "-", keyID ?? "-", address ?? "-", project ?? "-", action, result ?? "-",
            details.isEmpty ? "-" : details,
        ]
    }

    private var details: String {
        var parts: [String] = []
        if subjectID != keyID, let name = subject ?? subjectID { parts.append("key \(name)") }
        if let choice { parts.append(choice) }
        if let waited { parts.append("after \(Duration.milliseconds(waited).text(.seconds))") }
        if let count { parts.append("\(count) entries") }
        if let route { parts.append(route) }
        return parts.joined(separator: ", ")
    }
}

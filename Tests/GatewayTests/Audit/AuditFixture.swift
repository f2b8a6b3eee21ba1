// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// An entry of the audit log in a response.
struct AuditLine {
    /// The flags of a gateway whose entries have the order of the requests. Two loops can record the entries of consecutive
    /// requests in another order.
    static let flags = ["--threads", "1"]

    let json: JSON

    var action: String { json["action"]?.text ?? "" }

    subscript(name: String) -> String? { json[name]?.text }

    /// The key, the address, the project, the action, the choice and the result, with `-` for each missing value.
    var summary: String {
        ["key", "address", "project", "action", "choice", "result"].map { self[$0] ?? "-" }.joined(separator: " ")
    }

    /// The action, the template of the path, and the result.
    var routed: String { "\(action) \(self["route"] ?? "-") \(self["result"] ?? "-")" }
}

extension GatewayUnderTest {
    /// Returns the entries of the audit log, the oldest first.
    ///
    /// - Parameter key: The key of the request; nil for the administrator's key.
    func audit(_ query: String = "limit=1000", key: NamedKey? = nil) throws -> [AuditLine] {
        let response = try TestClient.request(
            port: port, "GET", "/-/audit?\(query)", headers: [key?.authorization ?? Self.authorization])
        guard response.status == 200, let entries = response.json["entries"]?.elements else {
            throw TestFailure("the gateway responded with \(response.status) \(response.text)")
        }
        return entries.reversed().map { AuditLine(json: $0) }
    }

    /// Waits until the audit log contains this number of entries, because an entry can be recorded a moment after its
    /// response. Returns the entries, the oldest first.
    ///
    /// - Parameter isWanted: Returns whether an entry counts. The result contains only these entries.
    func audit(
        _ query: String = "limit=1000", count: Int, where isWanted: (AuditLine) -> Bool = { _ in true }
    ) throws -> [AuditLine] {
        let deadline = Deadline(after: .seconds(20))
        while true {
            let lines = try audit(query).filter(isWanted)
            if lines.count >= count { return lines }
            guard deadline.remaining > .zero else {
                throw TestFailure("the audit log contains only \(lines.map(\.summary))")
            }
        }
    }

    /// The content of all files of the audit log.
    func auditFiles() -> [UInt8] {
        ["", "-wal"].flatMap { suffix in
            (try? FileTree.contents("\(stateFolder)/audit.db\(suffix)")) ?? []
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Access
import Audit
import Encodings
package import GatewayCore
import HTTPServer
import HTTPTypes
import JSONText
import OpenCodeFamilies
import Storage

/// The endpoint `/-/audit`.
extension AuditService {
    /// The path of the endpoint.
    package static let path = "/-/audit"

    /// The endpoint that returns the entries of the audit log. It needs a key with the scope `admin`.
    package var endpoint: Endpoint {
        let description = Endpoint.Description(
            id: "listAudit", summary: "List the entries of the audit log",
            """
            Returns who did what: with which key, when, from which address, in which project, and with which result. The newest \
            entry is first. A key for some projects sees the entries of these projects, and those of the keys that it manages. No \
            entry contains a prompt or a query.
            """,
            .json(200, schema: Self.schema, "A page of entries."),
            .error(400, "The request's head or a parameter is invalid."),
            .error(503, "The audit log cannot be read.")
        ).with(query: Self.parameters)
        var endpoint = Endpoint(
            .get, Self.path, requires: .key(.admin), description: description,
            handler: .control { request, _ in await self.respond(to: request) })
        endpoint.isCancelledWithoutClient = true
        return endpoint
    }

    private func respond(to request: ControlRequest) async -> ControlResponse {
        do throws(AuditQuery.InvalidValue) {
            var query = try AuditQuery(at: WallClock.milliseconds) { request.query[$0.rawValue] }
            query.visibleProjects = request.principal?.rights.projects
            return await respond(to: query)
        } catch {
            return .error(
                GatewayError(400, "The parameter \"\(error.name.rawValue)\" is invalid: \(error.advice)."))
        }
    }

    private func respond(to query: AuditQuery) async -> ControlResponse {
        do throws(StorageError) {
            var head = ResponseHead(status: 200)
            head.fields.append("Content-Type", "application/json")
            head.fields.append("Cache-Control", "no-store")
            return .answer(GatewayAnswer(head: head, body: try await page(query).json.bytes))
        } catch {
            return .error(GatewayError(503, "The audit log cannot be read: \(error)"))
        }
    }

    // MARK: Description

    private static let age = "[1-9][0-9]{0,3}(s|min|h|d)"
    private static let date = "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
    private static let time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    private static let parameters: [Endpoint.Parameter] = [
        .init(
            name: "key", meaning: "The name or the id of a key: its actions, and the actions that concern it.",
            schema: ["type": "string"]),
        .init(name: "project", meaning: "The name of a project.", schema: ["type": "string"]),
        .init(
            name: "since",
            meaning: "The time of the oldest entry: a time before now such as `1d`, or a time in the form of RFC 3339.",
            schema: ["type": "string", "pattern": .string("^(\(age)|\(date)T\(time)Z)$")]),
        .init(
            name: "limit", meaning: "The maximum number of entries. The default is \(AuditQuery.defaultLimit).",
            schema: [
                "type": "integer", "minimum": .number(Number(AuditQuery.limits.lowerBound)),
                "maximum": .number(Number(AuditQuery.limits.upperBound)),
            ]),
        .init(
            name: "before", meaning: "The value of `next` in the previous page.", schema: ["type": "integer"]),
    ]

    private static func text(_ description: String) -> JSON {
        (["type": "string", "description": .string(description)] as JSON).orNull
    }

    private static func number(_ description: String) -> JSON {
        (["type": "integer", "description": .string(description)] as JSON).orNull
    }

    private static let members: JSONObject = [
        "id": ["type": "integer", "description": "The id. Later entries have greater ids."],
        "time": ["type": "string", "format": "date-time", "description": "The time of the action."],
        "key_id": text("The id of the named key that was used. null: another key, or none."),
        "key": text("The name that the key had at that time. null: no key, or a wrong key."),
        "address": text("The client's address. null: unknown, or no client."),
        "project": text("The project. null: the action concerns none."),
        "action": ["type": "string", "description": .string("The action: \(actions).")],
        "route": text("The method and the template of the path, such as `POST /session/{sessionID}/shell`."),
        "subject_id": text("The id of the key that was created, changed, rotated, revoked or used for the first time."),
        "subject": text("The name of this key."),
        "choice": text(
            "The choice of a reply: `once`, `always` or `reject` for a permission, and `answered` or `rejected` for a question. null: "
                + "another action, or not readable."),
        "waited_ms": number("The time in milliseconds for which the permission or the question had waited."),
        "result": text(
            "The status of the response, such as `200`, or `no response`. null: the action has no response."),
        "count": number(
            "The number of missing entries: lost ones for the action `omitted`, and those about refused requests for "
                + "`refusals_omitted`."),
    ]

    private static let actions = AuditAction.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")

    /// The schema of an entry.
    private static let entrySchema = Schema("AuditEntry", Schema.object(members))
    /// The schema of a page.
    private static let schema = Schema(
        "AuditEntries",
        Schema.object([
            "entries": ["type": "array", "items": entrySchema.reference],
            "next": number("The value of `before` for the next page. null: this is the last page."),
            "lost": [
                "type": "integer", "minimum": 0,
                "description": "The number of entries that could not be written since the gateway started.",
            ],
        ]), references: [entrySchema])
}

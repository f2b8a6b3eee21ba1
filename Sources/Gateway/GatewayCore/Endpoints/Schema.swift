// SPDX-License-Identifier: Apache-2.0

import EventHub
internal import Instances
package import JSONText

/// A JSON schema of a request's or a response's body, with its name in the OpenAPI document. A feature defines the
/// schemas of its endpoints.
package struct Schema: Sendable {
    /// The name, which no other schema has.
    package let name: String
    /// The JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it).
    package let json: JSON
    /// The schemas to which this schema refers.
    package let references: [Schema]

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - name: A name that no other schema has.
    ///   - json: The JSON Schema.
    ///   - references: The schemas to which `json` refers.
    package init(_ name: String, _ json: JSON, references: [Schema] = []) {
        self.name = name
        self.json = json
        self.references = references
    }

    /// The body of `/health`.
    package static let health = Schema(
        "Health",
        object(
            ["status": ["const": "ok"], "service": ["const": "viberemote-gateway"]], required: ["status", "service"]))
    /// A project in the list of projects.
    static let project = Schema("Project", object(ProjectMember.listed, required: ProjectMember.contract))
    /// The list of projects.
    package static let projects = Schema(
        "Projects", ["type": "array", "items": project.reference], references: [project])
    /// A project with the state of its instance.
    package static let status = Schema(
        "ProjectStatus",
        object(ProjectMember.allCases, required: ProjectMember.contract + ProjectMember.reported))
    /// The result of a start.
    package static let started = Schema(
        "Started",
        object(
            [
                "name": ProjectMember.name.schema, "port": ProjectMember.portSchema,
                "status": ["type": "string", "enum": ["started", "already_running"]],
            ], required: ["name", "port", "status"]))
    /// The result of a stop.
    package static let stopped = Schema(
        "Stopped",
        object(["name": ProjectMember.name.schema, "status": ["const": "stopped"]], required: ["name", "status"]))
    /// The events of a project's instance.
    package static let history = Schema(
        "ProjectHistory",
        object(
            ["name": ProjectMember.name.schema, "history": ["type": "array", "items": object(event)]],
            required: ["name", "history"]))
    /// The state of a project's stored events.
    package static let eventState = Schema("ProjectEventState", object(eventStateMembers))
    /// A page of stored events.
    package static let eventPage = Schema("EventPage", object(eventPageMembers))
    /// The body of the gateway's own errors.
    package static let error = Schema(
        "Error",
        object(
            ["detail": ["type": "string", "description": "A sentence that states what happened and what to do."]],
            required: ["detail"]))
    /// An OpenAPI document.
    package static let document = Schema("Document", ["type": "object"])

    /// The reference to the schema in the OpenAPI document.
    package var reference: JSON { ["$ref": .string("#/components/schemas/\(name)")] }

    private static let event: JSONObject = [
        "time": ["type": "string", "format": "date-time", "description": "The time of the event (RFC 3339)."],
        "event": [
            "type": "string", "enum": .array(InstanceEvent.names.map { .string($0) }),
            "description": "The kind of the event.",
        ],
        "by": [
            "type": ["string", "null"],
            "description": "The name of the key that requested the change, if it is known.",
        ],
        "version": ["type": ["string", "null"], "description": "OpenCode's version."],
        "reason": ["type": ["string", "null"], "description": "The reason for the event."],
    ]

    private static let eventStateMembers: JSONObject = [
        "subscribers": ["type": "integer", "minimum": 0, "description": "The number of clients that read the events."],
        "first": ["type": ["string", "null"], "description": "The id of the oldest stored event."],
        "last": ["type": ["string", "null"], "description": "The id of the newest event."],
        "bytes": ["type": "integer", "minimum": 0, "description": "The size of the stored events in bytes."],
        "upstream": [
            "type": "string", "enum": ["connected", "waiting", "off"],
            "description": "Whether the gateway receives the server's events.",
        ],
        "since": [
            "type": ["string", "null"], "format": "date-time",
            "description": "The time at which the state of `upstream` began.",
        ],
        "gaps": ["type": "integer", "minimum": 0, "description": "The number of gaps in the stored events."],
    ]

    private static let eventPageMembers: JSONObject = [
        "events": [
            "type": "array", "maxItems": 1_000, "items": object(storedEvent),
            "description": "The events, the oldest first: at most about 1 MiB.",
        ],
        "next": ["type": ["string", "null"], "description": "The value of `since` for the next page."],
        "gap": [
            "oneOf": [["type": "null"], object(gapMembers)],
            "description": "The gap, if events are missing.",
        ],
    ]

    private static let storedEvent: JSONObject = [
        "id": ["type": "string"],
        "project": ["type": "string"],
        "directory": ["type": ["string", "null"], "description": "The directory that the event concerns."],
        "event": ["type": "object", "description": "The event, as OpenCode sent it."],
    ]

    private static let gapMembers: JSONObject = [
        "project": ["type": ["string", "null"]],
        "from": ["type": ["string", "null"], "description": "The id of the last event before the gap."],
        "to": ["type": ["string", "null"], "description": "The id of the first event after the gap."],
        "reason": [
            "type": "string", "enum": .array(EventGap.Reason.allCases.map { .string($0.rawValue) }),
            "description": "The reason for the gap.",
        ],
    ]

    private static func object(_ members: [ProjectMember], required: [ProjectMember]) -> JSON {
        object(
            JSONObject(members.map { JSONObject.Member($0.rawValue, $0.schema) }), required: required.map(\.rawValue))
    }

    /// Returns the schema of an object with these members. `required` contains the names of the required members; nil
    /// if all members are required.
    package static func object(_ members: JSONObject, required: [String]? = nil) -> JSON {
        let required = required ?? members.members.map(\.name)
        return [
            "type": "object", "properties": .object(members), "required": .array(required.map(JSON.string)),
            "additionalProperties": false,
        ]
    }
}

extension JSON {
    /// The same JSON Schema, extended to allow null.
    package var orNull: JSON {
        guard case .object(var schema) = self, let type = schema["type"] else { return self }
        schema["type"] = [type, "null"]
        return .object(schema)
    }
}

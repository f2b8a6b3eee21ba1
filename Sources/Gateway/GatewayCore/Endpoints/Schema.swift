// SPDX-License-Identifier: Apache-2.0

import EventHub
internal import Instances
package import JSONText

/// The JSON schemas of the gateway's own responses.
package enum Schema: String, CaseIterable {
    case health = "Health"
    case project = "Project"
    case projects = "Projects"
    case status = "ProjectStatus"
    case history = "ProjectHistory"
    case eventState = "ProjectEventState"
    case eventPage = "EventPage"
    case started = "Started"
    case stopped = "Stopped"
    case error = "Error"
    case document = "Document"

    /// The JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it).
    package var json: JSON {
        switch self {
        case .health:
            Self.object(
                ["status": ["const": "ok"], "service": ["const": "viberemote-gateway"]],
                required: ["status", "service"])
        case .project: Self.object(ProjectMember.listed, required: ProjectMember.contract)
        case .projects: ["type": "array", "items": Self.project.reference]
        case .status:
            Self.object(
                ProjectMember.allCases, required: ProjectMember.contract + ProjectMember.reported)
        case .started:
            Self.object(
                [
                    "name": ProjectMember.name.schema, "port": ProjectMember.portSchema,
                    "status": ["type": "string", "enum": ["started", "already_running"]],
                ], required: ["name", "port", "status"])
        case .stopped:
            Self.object(
                ["name": ProjectMember.name.schema, "status": ["const": "stopped"]], required: ["name", "status"])
        case .history:
            Self.object(
                [
                    "name": ProjectMember.name.schema,
                    "history": ["type": "array", "items": Self.object(Self.event)],
                ], required: ["name", "history"])
        case .eventState: Self.object(Self.eventStateMembers)
        case .eventPage: Self.object(Self.eventPageMembers)
        case .error:
            Self.object(
                ["detail": ["type": "string", "description": "A sentence that states what happened and what to do."]],
                required: ["detail"])
        case .document: ["type": "object"]
        }
    }

    /// The reference to the schema in the OpenAPI document.
    package var reference: JSON { ["$ref": .string("#/components/schemas/\(rawValue)")] }

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
    private static func object(_ members: JSONObject, required: [String]? = nil) -> JSON {
        let required = required ?? members.members.map(\.name)
        return [
            "type": "object", "properties": .object(members), "required": .array(required.map(JSON.string)),
            "additionalProperties": false,
        ]
    }
}

extension JSON {
    /// The same JSON Schema, extended to allow null.
    var orNull: JSON {
        guard case .object(var schema) = self, let type = schema["type"] else { return self }
        schema["type"] = [type, "null"]
        return .object(schema)
    }
}

internal import Instances

/// The forms of JSON that the gateway itself sends.
enum Schema: String, CaseIterable {
    case health = "Health"
    case project = "Project"
    case projects = "Projects"
    case status = "ProjectStatus"
    case started = "Started"
    case stopped = "Stopped"
    case error = "Error"
    case document = "Document"

    /// The form in JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it).
    var json: JSONValue {
        switch self {
        case .health:
            Self.object(
                ["status": ["const": "ok"], "service": ["const": "viberemote-gateway"]],
                required: ["status", "service"])
        case .project: Self.object(Self.projectMembers, required: Self.contract)
        case .projects: ["type": "array", "items": Self.project.reference]
        case .status:
            Self.object(
                Self.projectMembers + Self.statusMembers, required: Self.contract + Self.statusMembers.map(\.name))
        case .started:
            Self.object(
                [
                    "name": Self.name, "port": Self.port,
                    "status": ["type": "string", "enum": ["started", "already_running"]],
                ], required: ["name", "port", "status"])
        case .stopped:
            Self.object(["name": Self.name, "status": ["const": "stopped"]], required: ["name", "status"])
        case .error:
            Self.object(
                ["detail": ["type": "string", "description": "One plain sentence: what happened, and what to do."]],
                required: ["detail"])
        case .document: ["type": "object"]
        }
    }

    /// A reference to the form.
    var reference: JSONValue { ["$ref": "#/components/schemas/\(rawValue)"] }

    private typealias Members = [(name: String, value: JSONValue)]

    private static let name: JSONValue = ["type": "string", "description": "The folder's name."]
    private static let port: JSONValue = [
        "type": "integer", "minimum": 1, "maximum": 65535, "description": "The OpenCode server's port on 127.0.0.1.",
    ]
    private static let contract = ["name", "path", "has_git", "has_package_json", "is_running", "port"]

    private static let projectMembers: Members = [
        ("name", name), ("path", ["type": "string", "description": "The folder's absolute path."]),
        ("has_git", ["type": "boolean", "description": "Whether it has a `.git`."]),
        ("has_package_json", ["type": "boolean", "description": "Whether it has a `package.json`."]),
        ("is_running", ["type": "boolean", "description": "Whether its OpenCode server takes requests."]),
        ("port", orNull(port)),
        (
            "missing",
            ["const": true, "description": "Only there where the folder is gone while its server still runs."]
        ),
    ]

    private static let statusMembers: Members = [
        (
            "state",
            [
                "type": "string", "enum": .array(InstanceState.names.map { .string($0) }),
                "description": "What its server is doing. Requests reach one that is ready, busy or unhealthy.",
            ]
        ),
        ("since", ["type": "string", "format": "date-time", "description": "When that began (RFC 3339)."]),
        ("pid", orNull(["type": "integer", "minimum": 1, "description": "The server's process."])),
        (
            "restarts",
            ["type": "integer", "minimum": 0, "description": "How often it was started again after it ended."]
        ),
        ("version", orNull(["type": "string", "description": "OpenCode's version."])),
        (
            "api",
            orNull([
                "type": "string", "enum": ["1", "2", .null],
                "description": "Which of OpenCode's two APIs it speaks.",
            ])
        ),
        ("last_error", orNull(["type": "string", "description": "What is wrong now, or what went wrong last."])),
        (
            "warnings",
            [
                "type": "array", "items": ["type": "string"],
                "description": "Sentences about what works and should be known all the same.",
            ]
        ),
    ]

    /// The form, or null.
    private static func orNull(_ form: JSONValue) -> JSONValue {
        guard case .object(let members) = form else { return form }
        return .object(
            members.map { member in
                member.name == "type" ? (name: "type", value: [member.value, "null"]) : member
            })
    }

    private static func object(_ members: Members, required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(members), "required": .array(required.map { .string($0) }),
            "additionalProperties": false,
        ]
    }

    private static func object(_ members: KeyValuePairs<String, JSONValue>, required: [String]) -> JSONValue {
        object(members.map { (name: $0.key, value: $0.value) }, required: required)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Access
package import GatewayCore
package import HTTPServer
import HTTPTypes
import JSONText
package import Keys
import OpenCodeFamilies

/// The responses of the endpoints for keys. No cache may store them, because a response can contain a key's secret.
package enum KeyResponse {
    /// The name of the member that contains the key itself.
    private static let secretName = "key"

    static func list(_ keys: [Key]) -> GatewayAnswer {
        json(200, .object(JSONObject([.init("keys", .array(keys.map(\.json)))])))
    }

    static func key(_ key: Key) -> GatewayAnswer { json(200, key.json) }

    /// Returns the response that contains a new key and its secret.
    package static func created(_ key: Key, token: [UInt8]) -> GatewayAnswer {
        var answer = json(201, withSecret(key, token))
        answer.head.fields.append("Location", KeyOperation.show(id: key.id.description).target)
        return answer
    }

    static func rotated(_ key: Key, token: [UInt8]) -> GatewayAnswer { json(200, withSecret(key, token)) }

    static let revoked = {
        var head = ResponseHead(status: 204)
        head.fields.append("Cache-Control", "no-store")
        return GatewayAnswer(head: head, body: [])
    }()

    private static func withSecret(_ key: Key, _ token: [UInt8]) -> JSON {
        guard case .object(var object) = key.json else { return key.json }
        object.members.insert(.init(secretName, .string(String(decoding: token, as: UTF8.self))), at: 0)
        return .object(object)
    }

    private static func json(_ status: Int, _ value: JSON) -> GatewayAnswer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        return GatewayAnswer(head: head, body: value.bytes)
    }

    // MARK: Schemas

    /// The schema of a key without its secret.
    package static let keySchema = Schema("Key", Schema.object(members))
    /// The schema of the list of keys.
    static let listSchema = Schema(
        "Keys", Schema.object(["keys": ["type": "array", "items": keySchema.reference]]), references: [keySchema])
    /// The schema of a key with its secret.
    package static let secretSchema = Schema(
        "KeyWithSecret", Schema.object(JSONObject(secret.members + members.members)))
    /// The schema of the values of a new key.
    package static let draftSchema = Schema("NewKey", Schema.object(draft, required: ["name"]))
    /// The schema of the changes of a key.
    package static let patchSchema = Schema("KeyChanges", Schema.object(draft, required: []))
    /// The schema of the values of a pairing code.
    package static let pairingSchema = Schema(
        "PairingValues", Schema.object(JSONObject(draft.members.filter { $0.name != "identity" }), required: []))
    /// The schema of the body of a rotation.
    static let rotationSchema = Schema(
        "KeyRotation",
        Schema.object(
            [
                "keep_old":
                    ([
                        "type": "string", "pattern": .string(duration),
                        "description":
                            "The time for which the previous key remains valid, such as `1d`. null: it ends at once.",
                    ] as JSON).orNull
            ], required: []))

    private static let scopes: JSON = .array(Scope.allCases.map { .string($0.rawValue) })

    private static let secret: JSONObject = [
        secretName: [
            "type": "string", "pattern": .string("^\(KeyToken.pattern)$"),
            "description": "The key itself. No other response contains it.",
        ]
    ]

    private static func text(_ description: String, pattern: String? = nil, longest: Int? = nil) -> JSON {
        ([
            "type": "string", "pattern": pattern.map { .string($0) },
            "maxLength": longest.map { .number(Number($0)) }, "description": .string(description),
        ] as JSON).orNull
    }

    /// The pattern of a time, from a second to almost ten years.
    private static let duration =
        "^([1-9][0-9]{0,3}(s|min|h)|([1-9][0-9]{0,2}|[12][0-9]{3}|3[0-5][0-9]{2})d)$"

    /// The pattern of a text without control and format characters, and without spaces at its ends.
    private static let line: String = {
        let hidden =
            #"\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"#
            + #"\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffd"#
        let spaces = #"\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"#
        return "^[^\(hidden)\(spaces)]([^\(hidden)]*[^\(hidden)\(spaces)])?$"
    }()

    private static func time(_ description: String) -> JSON {
        (["type": "string", "format": "date-time", "description": .string(description)] as JSON).orNull
    }

    private static let projects: JSON =
        ([
            "type": "array", "minItems": 1, "maxItems": 100,
            "items": [
                "type": "string", "pattern": #"^[^./\u0000-\u001f\u007f-\u009f][^/\u0000-\u001f\u007f-\u009f]*$"#,
                "maxLength": 255,
            ],
            "description": "The names of the projects that the key can open. null: all projects.",
        ] as JSON).orNull
    private static let streams: JSON =
        [
            "type": ["integer", "string", "null"], "minimum": .number(Number(KeyLimits.streamRange.lowerBound)),
            "maximum": .number(Number(KeyLimits.streamRange.upperBound)), "pattern": "^none$",
            "description":
                "The number of streams that may be open at the same time. null: the default limit. `none`: no limit.",
        ]
    private static let rate = text(
        "The rate of requests, such as `20/s`. null: the default limit. `none`: no limit.",
        pattern: "^([1-9][0-9]{0,4}/(s|min|h)|none)$")
    private static let identity = text(
        "The value of the identity header that selects the key.", pattern: "^$|\(line)", longest: 256)
    private static let note = text("A remark.", pattern: "^$|\(line)", longest: 500)

    private static let draft: JSONObject = [
        "name": [
            "type": "string", "pattern": .string(line), "maxLength": 64, "description": "A name that no other key has.",
        ],
        "projects": projects,
        "allow": ["type": "string", "enum": scopes, "description": "The scope. The default is `write`."],
        "expires": text("The time from now until the key expires, such as `90d`. null: never.", pattern: duration),
        "rate": rate, "streams": streams, "identity": identity, "note": note,
    ]

    private static let members: JSONObject = [
        "id": ["type": "string", "description": "The id, which is also part of the key itself."],
        "name": ["type": "string", "description": "The name, which no other key has."],
        "kind": [
            "type": "string", "enum": .array(Key.Kind.allCases.map { .string($0.rawValue) }),
            "description": "How the holder received the key.",
        ],
        "projects": projects,
        "allow": ["type": "string", "enum": scopes, "description": "The scope, which includes all scopes before it."],
        "expires": time("The time at which the key expires. null: never."),
        "rate": rate, "streams": streams, "identity": identity, "note": note,
        "created": ["type": "string", "format": "date-time", "description": "The time of the creation."],
        "creator": ["type": "string", "description": "The name of the key with which this key was created."],
        "last_used": time("The time of the last use, to within ten seconds. null: never."),
        "address": text("The client's address at the last use."),
        "client": text("The User-Agent field at the last use."),
        "old_until": time("The time until which the previous key remains valid after a rotation."),
    ]
}

extension GatewayError {
    /// Creates the error for a refused request to manage keys.
    package init(_ refusal: KeyRefusal) {
        // RFC 9110 §15.5.2 requires a challenge.
        self.init(
            refusal.status, refusal.description,
            fields: refusal.status == 401 ? ["WWW-Authenticate": "Bearer"] : [:])
    }
}

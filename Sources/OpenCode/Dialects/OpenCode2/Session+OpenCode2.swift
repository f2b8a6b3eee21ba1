// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Session {
    /// Parses a session in OpenCode 2's format; nil if it is invalid.
    package init?(openCode2 json: JSON, _ defaults: InstanceDefaults) {
        guard let object = json.object, let id = object["id"]?.text, let created = object["time"]?["created"]?.number
        else { return nil }
        self.init(
            openCode2: object, id: id, created: created, updated: object["time"]?["updated"]?.number, defaults)
        cost = object["cost"]?.number ?? 0
        tokens = object["tokens"].flatMap { Tokens($0) } ?? .zero
        if let archived = object["time"]?["archived"]?.number { otherTimes.add("archived", archived) }
        revert = object["revert"].flatMap { Revert(openCode2: $0) }
    }

    /// Parses the session in a `session.created` event.
    ///
    /// - Parameter created: The event's time, in milliseconds since 1970.
    init?(openCode2Created data: JSONObject, created: Number, _ defaults: InstanceDefaults) {
        guard let id = data["sessionID"]?.text else { return nil }
        self.init(openCode2: data, id: id, created: created, updated: nil, defaults)
    }

    private init?(
        openCode2 object: JSONObject, id: String, created: Number, updated: Number?, _ defaults: InstanceDefaults
    ) {
        guard let directory = object["location"]?["directory"]?.text, let projectID = object["projectID"]?.text else {
            return nil
        }
        let parentID = object["parentID"]?.text
        self.init(
            id: id, slug: Self.slug(of: id), projectID: projectID, directory: directory,
            path: object["subpath"]?.text ?? "", parentID: parentID,
            title: object["title"]?.text ?? DefaultTitle.make(created: created, isChild: parentID != nil),
            agent: object["agent"]?.text, model: object["model"].flatMap { Model(openCode1Session: $0) },
            version: defaults.version, cost: 0, tokens: Tokens.zero, created: created, updated: updated ?? created)
        others.add("metadata", object["metadata"])
        others.add("permission", object["permissions"]?.array.map { .array($0.map(Self.rule)) })
    }

    /// Derives the slug of a session from the session's id, because OpenCode 2 sends the slug only once.
    private static func slug(of id: String) -> String {
        (id.hasPrefix("ses_") ? String(id.dropFirst(4)) : id).lowercased()
    }

    /// Translates a permission rule to OpenCode 1.
    static func rule(_ rule: JSON) -> JSON {
        [
            "permission": rule["action"].flatMap(\.text).map { .string(Names.openCode1(tool: $0)) },
            "pattern": rule["resource"], "action": rule["effect"],
        ]
    }

    /// The directory of the project, if the session's directory is below it; otherwise the session's directory.
    var root: String {
        guard let path, !path.isEmpty, directory.hasSuffix("/" + path) else { return directory }
        let root = directory.dropLast(path.count + 1)
        return root.isEmpty ? "/" : String(root)
    }
}

extension Session.Revert {
    /// Parses a revert; nil if it is invalid. OpenCode 2 identifies the first reverted part in a format that OpenCode 1
    /// does not have, so the result has no `partID`.
    init?(openCode2 json: JSON) {
        guard let messageID = json["messageID"]?.text else { return nil }
        self.init(messageID: MessageIDs.openCode1(messageID), snapshot: json["snapshot"]?.text)
        let patches = json["files"]?.array?.compactMap { $0["patch"]?.text } ?? []
        if !patches.isEmpty { others.add("diff", patches.joined(separator: "\n")) }
    }
}

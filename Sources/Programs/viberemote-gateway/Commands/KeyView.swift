// SPDX-License-Identifier: Apache-2.0

import Encodings
import JSONText

/// A key in a response to the command `key`.
struct KeyView: JSONReadable, CustomStringConvertible {
    let id: String
    let name: String
    let kind: String
    let projects: [String]?
    let allow: String
    let expires: String?
    let rate: String?
    let streams: String?
    let identity: String?
    let note: String?
    let created: String
    let creator: String
    let lastUsed: String?
    let address: String?
    let client: String?
    let oldUntil: String?
    /// The key itself; nil unless it was just created.
    let secret: String?

    init(json: JSON) throws(JSONMismatch) {
        id = try json.required("id")
        name = try json.required("name")
        kind = try json.required("kind")
        projects = try json.optional("projects")
        allow = try json.required("allow")
        expires = try json.optional("expires")
        rate = try json.optional("rate")
        let streams: JSON? = try json.optional("streams")
        self.streams = try streams.map { streams throws(JSONMismatch) in
            // A key without the limit has the word `none` in place of the number.
            if case .string(let word) = streams { return word }
            return "\(try Int(json: streams))"
        }
        identity = try json.optional("identity")
        note = try json.optional("note")
        created = try json.required("created")
        creator = try json.required("creator")
        lastUsed = try json.optional("last_used")
        address = try json.optional("address")
        client = try json.optional("client")
        oldUntil = try json.optional("old_until")
        secret = try json.optional("key")
    }

    private var projectText: String { projects?.joined(separator: " ") ?? "all" }

    private var expiryText: String {
        guard let expires else { return "never" }
        let isExpired = RFC3339.milliseconds(expires).map { $0 <= WallClock.milliseconds } ?? false
        return isExpired ? "\(expires) (expired)" : expires
    }

    /// The maximum width of a padded column, which is the maximum length of a name.
    private static let widestColumn = 64

    /// Returns one line for each key, below a heading.
    static func table(_ keys: [KeyView]) -> String {
        guard !keys.isEmpty else { return "There are no keys. Create one with `key create NAME`." }
        let rows = keys.map { key in
            [
                key.name, key.id, key.kind, key.allow, key.projectText, key.identity ?? "-", key.expiryText,
                key.lastUsed ?? "never", key.address ?? "-", key.client ?? "-",
            ].map(PlainText.line)
        }
        let heading = [
            "NAME", "ID", "KIND", "ALLOW", "PROJECTS", "IDENTITY", "EXPIRES", "LAST USED", "ADDRESS", "CLIENT",
        ]
        return PlainText.table([heading] + rows, widest: widestColumn)
    }

    /// One line for each value.
    var description: String {
        let rows: [(String, String?)] = [
            ("name", name), ("id", id), ("kind", kind), ("allow", allow), ("projects", projectText),
            ("expires", expiryText), ("rate", rate), ("streams", streams),
            ("identity", identity), ("note", note), ("created", "\(created) by \(creator)"),
            ("last used", lastUsed ?? "never"), ("address", address), ("client", client),
            ("old key until", oldUntil),
        ]
        return PlainText.table(rows.compactMap { row in row.1.map { [row.0, PlainText.line($0)] } })
    }

    /// The message about a new secret, which does not contain the secret.
    var announcement: String {
        let old = oldUntil.map { " The previous key remains valid until \(PlainText.line($0))." } ?? ""
        let values = [
            allow, projects == nil ? "all projects" : projectText, expires.map { "until \($0)" } ?? "no expiry",
        ]
        return "The key of \(PlainText.line(name)) (id \(PlainText.line(id)), "
            + "\(values.map(PlainText.line).joined(separator: ", "))) follows. Store it now: it is not printed again.\(old)"
    }
}

/// The list of keys in a response.
struct KeyListView: JSONReadable {
    let keys: [KeyView]

    init(json: JSON) throws(JSONMismatch) { keys = try json.required("keys") }
}

// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A query about an instance's setup, in addition to the health check.
package enum SetupQuery: Sendable, CaseIterable {
    /// The configuration. OpenCode 1.18 rejects every request that concerns the project if the configuration is
    /// unreadable.
    case configuration
    /// The models that the instance can use.
    case models
    /// The progress of the migration of OpenCode 1's sessions into OpenCode 2's database.
    case migration

    /// Returns the path of the query for an instance of this family; nil if the family does not support the query.
    package func path(for family: APIFamily) -> String? {
        switch (self, family) {
        case (.configuration, .one): "/config"
        case (.configuration, .two): "/api/config"
        case (.models, .one): "/config/providers"
        case (.models, .two): "/api/model"
        case (.migration, .one): nil
        case (.migration, .two): "/api/experimental/migration/v1"
        }
    }
}

/// Interprets an instance's response about its configuration.
package enum ConfigurationAnswer {
    /// Returns a message that states why OpenCode cannot use the configuration; nil if the configuration is usable.
    ///
    /// An error has the format `{"name","data":{"message","path"}}` or `{"_tag","message"}` (1.18, 2.0.15). In its
    /// message, OpenCode quotes the whole file, which may contain keys. Therefore, the result contains only the lines
    /// that describe the problem.
    package static func trouble(status: Int, body: [UInt8]) -> String? {
        guard status >= 400 else { return nil }
        let error = Failure(jsonText: body)
        var what = [error?.name ?? error?.tag, error?.data?.path ?? error?.path].compactMap { $0 }.joined(
            separator: ", ")
        if let message = (error?.data?.message ?? error?.message).flatMap(gist) {
            what += what.isEmpty ? message : ": " + message
        }
        return
            "OpenCode cannot use the project's configuration (\(status)\(what.isEmpty ? "" : ", " + cut(what))). Fix the project's "
            + "opencode.json, then stop and start the instance."
    }

    /// Returns the message's first line, and the first line below `--- Errors ---`.
    private static func gist(_ message: String) -> String? {
        let lines = message.split(whereSeparator: \.isNewline).map { ControlSequences.plain(String($0)) }
        guard let first = lines.first else { return nil }
        let errors = lines.firstIndex { $0.contains("--- Errors ---") }.map { lines[($0 + 1)...] }
        let parts = [first] + (errors?.first.map { [$0] } ?? [])
        return parts.map(trimmed).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " || $0 == ":" }.reversed())
    }

    private static func cut(_ text: String) -> String { text.count > 300 ? text.prefix(300) + "…" : text }

    private struct Failure: JSONReadable {
        struct Details: JSONReadable {
            let message: String?
            let path: String?

            init(json: JSON) throws(JSONMismatch) {
                message = try json.optional("message")
                path = try json.optional("path")
            }
        }

        let name: String?
        let tag: String?
        let message: String?
        let path: String?
        let data: Details?

        init(json: JSON) throws(JSONMismatch) {
            name = try json.optional("name")
            tag = try json.optional("_tag")
            message = try json.optional("message")
            path = try json.optional("path")
            data = try json.optional("data")
        }
    }
}

/// Interprets an instance's response about its models.
package enum ModelsAnswer {
    /// Returns whether the instance has any models; nil if the response contains no list of models.
    ///
    /// OpenCode 1's response lists the models by provider and name: `{"providers":[{"models":{…}}]}`. OpenCode 2's
    /// response is a plain list of models: `{"data":[…]}`.
    package static func hasModels(status: Int, body: [UInt8]) -> Bool? {
        guard status == 200, let answer = Body(jsonText: body) else { return nil }
        if let providers = answer.providers { return providers.contains { $0.models?.isEmpty == false } }
        return answer.data.map { !$0.isEmpty }
    }

    private struct Provider: JSONReadable {
        let models: JSONObject?

        init(json: JSON) throws(JSONMismatch) { models = try json.optional("models") }
    }

    private struct Body: JSONReadable {
        let providers: [Provider]?
        let data: [JSON]?

        init(json: JSON) throws(JSONMismatch) {
            providers = try json.optional("providers")
            data = try json.optional("data")
        }
    }
}

/// The progress of OpenCode 2's migration of OpenCode 1's sessions (`GET /api/experimental/migration/v1`, 2.0.15).
package enum MigrationAnswer: Sendable, Equatable {
    /// All sessions have been migrated, no sessions existed, or this version does not report the migration.
    case completed
    /// The migration has not begun.
    case required
    /// The migration is running. The value is the reported progress, such as `Sessions 12 of 40`.
    case running(progress: String)
    /// The migration has failed. The value is the reported reason.
    case failed(reason: String)

    /// Interprets the status code and the body of a response; nil if the response is invalid.
    package init?(status: Int, body: [UInt8]) {
        guard status != 404 else {
            self = .completed
            return
        }
        guard status == 200, let answer = Body(jsonText: body) else { return nil }
        switch answer.status {
        case "completed": self = .completed
        case "required": self = .required
        case "running": self = .running(progress: answer.progress?.text ?? "")
        case "error": self = .failed(reason: ControlSequences.plain(answer.error ?? ""))
        default: return nil
        }
    }

    /// The warning that the command `status` shows while sessions are missing; nil after all sessions have been
    /// migrated.
    package var warning: String? {
        switch self {
        case .completed: nil
        case .required:
            "OpenCode 2 has not migrated OpenCode 1's sessions yet: older sessions may be missing until the migration is complete"
        case .running(let progress):
            "OpenCode 2 is migrating OpenCode 1's sessions\(progress.isEmpty ? "" : " (\(progress))"): older sessions may be "
                + "missing until the migration is complete"
        case .failed(let reason):
            "OpenCode 2 could not migrate OpenCode 1's sessions\(reason.isEmpty ? "" : ": " + reason)"
        }
    }

    private struct Body: JSONReadable {
        struct Progress: JSONReadable {
            let label: String
            let numerator: Int?
            let denominator: Int?

            init(json: JSON) throws(JSONMismatch) {
                label = try json.required("label")
                numerator = try json.optional("numerator")
                denominator = try json.optional("denominator")
            }

            var text: String {
                let label = ControlSequences.plain(label)
                guard let numerator else { return label }
                return "\(label) \(numerator)" + (denominator.map { " of \($0)" } ?? "")
            }
        }

        let status: String
        let progress: Progress?
        let error: String?

        init(json: JSON) throws(JSONMismatch) {
            status = try json.required("status")
            progress = try json.optional("progress")
            error = try json.optional("error")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Access
import JSONText
import Keys
import Settings

/// The JSON bodies of the command `key`, and the check of their values before a request is sent.
enum KeyBody {
    /// Returns the body of a request; nil if the request has none.
    static func json(of request: KeyRequest) -> JSON? {
        switch request {
        case .create(let name, let values):
            var body = object(values)
            body.members.insert(.init("name", .string(name)), at: 0)
            return .object(body)
        case .change(_, let values): return .object(object(values))
        case .rename(_, let name): return ["name": .string(name)]
        case .rotate(_, let keepOld): return ["keep_old": keepOld.map { .string($0) }]
        case .list, .show, .revoke: return nil
        }
    }

    private static func object(_ values: KeyRequest.Values) -> JSONObject {
        [
            "projects": values.opensAllProjects
                ? .null : values.projects.isEmpty ? nil : .array(values.projects.map { .string($0) }),
            "allow": values.allow.map { .string($0) }, "expires": text(values.expires, removedBy: "never"),
            "rate": text(values.rate, removedBy: "default"), "streams": streams(values.streams),
            "identity": text(values.identity, removedBy: ""), "note": text(values.note, removedBy: ""),
        ]
    }

    /// Returns the JSON value of a text. The given word removes the value.
    private static func text(_ text: String?, removedBy word: String) -> JSON? {
        text.map { $0 == word ? .null : .string($0) }
    }

    private static func streams(_ text: String?) -> JSON? {
        // The check rejects a text that is neither a number nor `none`.
        text.map { $0 == "default" ? .null : Int($0).map { .number(Number($0)) } ?? .string($0) }
    }

    // MARK: Checking

    /// Throws an error if a value of the request is invalid. The error names the flag and the value, unless the value
    /// contains a secret.
    ///
    /// - Parameter secrets: The administrators' keys in the settings.
    static func check(_ request: KeyRequest, secrets: [Secret]) throws(CommandError) {
        let body = json(of: request)?.bytes ?? []
        do throws(KeyRefusal) {
            switch request {
            case .create: try KeyJSON.draft(body).validate()
            case .change, .rename: try KeyJSON.patch(body).validate()
            case .rotate: try KeyPatch.validate(keepOld: try KeyJSON.keepOld(body))
            case .list, .show, .revoke: break
            }
        } catch {
            guard case .invalid(let value, let advice) = error else {
                throw CommandError(PlainText.lines(error.description), exitCode: Command.usageExitCode)
            }
            let typed = typed(value, in: request).flatMap { isSecret($0, secrets) ? nil : $0 }
            let shown = typed.map { " " + SettingError.quoted($0) } ?? ""
            throw CommandError(
                "\(KeyRequest.argument(for: value.rawValue))\(shown) is invalid: \(advice).".capitalizedStart,
                exitCode: Command.usageExitCode)
        }
    }

    /// Returns whether a text contains a key, which no message may repeat.
    private static func isSecret(_ text: String, _ secrets: [Secret]) -> Bool {
        KeyToken.isContained(in: text)
            || secrets.contains { text.contains(String(decoding: $0.bytes, as: UTF8.self)) }
    }

    /// Returns the text that was typed for a value.
    private static func typed(_ value: KeyRefusal.Value, in request: KeyRequest) -> String? {
        switch request {
        case .create(let name, let values): value == .name ? name : typed(value, values)
        case .change(_, let values): typed(value, values)
        case .rename(_, let name): name
        case .rotate(_, let keepOld): keepOld
        case .list, .show, .revoke: nil
        }
    }

    private static func typed(_ value: KeyRefusal.Value, _ values: KeyRequest.Values) -> String? {
        switch value {
        case .projects: KeyPatch.invalidProject(in: values.projects)
        case .allow: values.allow
        case .expires: values.expires
        case .rate: values.rate
        case .streams: values.streams
        case .identity: values.identity
        case .note: values.note
        case .name, .keepOld: nil
        }
    }
}

extension String {
    /// The text with an upper-case first letter.
    fileprivate var capitalizedStart: String { prefix(1).uppercased() + dropFirst() }
}

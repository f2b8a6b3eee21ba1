// SPDX-License-Identifier: Apache-2.0

import JSONText
import KeyAdministration
import Settings

/// The command `key`, which manages the named keys.
enum KeyCommand {
    private static let refusedExitCode: Int32 = 1

    /// Performs the request, prints the result, and returns the exit code.
    static func run(_ request: KeyRequest, isJSON: Bool, configuration: Configuration) -> Int32 {
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        do throws(CommandError) {
            let access = try KeyAccess(configuration)
            defer { access.close() }
            let response = try perform(request, access)
            let text = isJSON ? String(decoding: response, as: UTF8.self) : try text(of: request, response)
            guard text.isEmpty || StandardStreams.writeLine(text) else { throw notPrinted(request) }
            return 0
        } catch {
            StandardStreams.writeError(error.description)
            return refusedExitCode
        }
    }

    /// The error for a result that cannot be written to standard output, such as a file on a full disk.
    private static func notPrinted(_ request: KeyRequest) -> CommandError {
        switch request {
        case .create(let name, _):
            CommandError(
                "The key of \(PlainText.line(name)) was created, but cannot be printed. Free space for the output, and run "
                    + "`key rotate` to replace the key.")
        case .rotate(let key, _):
            CommandError(
                "The key of \(PlainText.line(key)) was replaced, but the new key cannot be printed. Free space for the output, and "
                    + "run `key rotate` again.")
        default: CommandError("The result cannot be printed. Free space for the output.")
        }
    }

    private static func perform(_ request: KeyRequest, _ access: KeyAccess) throws(CommandError) -> [UInt8] {
        switch request {
        case .list: return try access.perform(.list)
        case .create(let name, let values): return try access.perform(.create, body(name, values))
        case .show(let key): return try access.perform(.show(id: try id(of: key, access)))
        case .revoke(let key): return try access.perform(.revoke(id: try id(of: key, access)))
        case .rotate(let key, let keepOld):
            let body: JSON = ["keep_old": keepOld.map { .string($0) }]
            return try access.perform(.rotate(id: try id(of: key, access)), body)
        case .rename(let key, let name):
            return try access.perform(.change(id: try id(of: key, access)), ["name": .string(name)])
        }
    }

    private static func body(_ name: String, _ values: KeyRequest.Values) -> JSON {
        [
            "name": .string(name),
            "projects": values.projects.isEmpty ? nil : .array(values.projects.map { .string($0) }),
            "allow": values.allow.map { .string($0) }, "expires": values.expires.map { .string($0) },
            "rate": values.rate.map { .string($0) },
            // The service rejects a text that is not a number.
            "streams": values.streams.map { text in Int(text).map { .number(Number($0)) } ?? .string(text) },
            "identity": values.identity.map { .string($0) }, "note": values.note.map { .string($0) },
        ]
    }

    /// Returns the id of the key with this name or id.
    private static func id(of key: String, _ access: KeyAccess) throws(CommandError) -> String {
        let found = try keys(try access.perform(.list)).filter { $0.name == key || $0.id == key }
        guard let first = found.first else {
            throw CommandError(
                "There is no key with the name or id \(PlainText.line(key)). `\(GatewayVersion.program) key list` lists all keys."
            )
        }
        guard found.count == 1 else {
            throw CommandError(
                "\(PlainText.line(key)) is the name of one key and the id of another key. Write the id of the first key, "
                    + "or the name of the second one.")
        }
        return first.id
    }

    private static func keys(_ response: [UInt8]) throws(CommandError) -> [KeyView] {
        guard let list = KeyListView(jsonText: response) else { throw .notAGateway }
        return list.keys
    }

    private static func text(of request: KeyRequest, _ response: [UInt8]) throws(CommandError) -> String {
        if case .list = request { return KeyView.table(try keys(response)) }
        if case .revoke(let key) = request { return "\(PlainText.line(key)): revoked" }
        guard let key = KeyView(jsonText: response) else { throw .notAGateway }
        switch request {
        case .create, .rotate:
            guard let secret = key.secret else { throw .notAGateway }
            // Only the key itself goes to stdout, so that a script can store it.
            StandardStreams.writeError(key.announcement)
            return PlainText.line(secret)
        case .rename(let old, _): return "\(PlainText.line(old)): renamed to \(PlainText.line(key.name))"
        case .show, .list, .revoke: return key.description
        }
    }
}

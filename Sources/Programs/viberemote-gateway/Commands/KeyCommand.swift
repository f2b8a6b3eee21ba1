// SPDX-License-Identifier: Apache-2.0

import JSONText
import KeyAdministration
import Settings

/// The command `key`, which manages the named keys.
enum KeyCommand {
    /// Performs the request, prints the result, and returns the exit code.
    static func run(_ request: KeyRequest, isJSON: Bool, configuration: Configuration) -> Int32 {
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        do throws(CommandError) {
            // Report a wrong value even if no gateway responds.
            try KeyBody.check(request, secrets: configuration.keys.map(\.secret))
            let access = try KeyAccess(configuration, needsGateway: request == .list(onlyNames: true))
            defer { access.close() }
            try checkProjects(of: request, access)
            let result = try perform(request, access)
            let text = isJSON ? String(decoding: result.body, as: UTF8.self) : try text(of: request, result)
            guard text.isEmpty || StandardStreams.writeLine(text) else { throw notPrinted(request) }
            return 0
        } catch {
            StandardStreams.writeError(error.description)
            return error.exitCode
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

    /// Reports projects that do not exist. A key may name a project whose folder will be created later.
    private static func checkProjects(of request: KeyRequest, _ access: KeyAccess) throws(CommandError) {
        let names: [String]
        switch request {
        case .create(_, let values), .change(_, let values): names = values.projects
        default: return
        }
        guard !names.isEmpty, let known = access.projectNames() else { return }
        for name in names where !known.contains(name) {
            guard !name.contains(",") else {
                let flags = name.split(separator: ",").map { "--project \($0)" }.joined(separator: " ")
                throw CommandError(
                    "--project \(SettingError.quoted(name)) is not a project, and a comma does not separate names: repeat the "
                        + "flag (\(PlainText.line(flags))).", exitCode: Command.usageExitCode)
            }
            let similar = known.first { $0.lowercased() == name.lowercased() }
            let hint = similar.map { " Did you mean \(PlainText.line($0))?" } ?? ""
            StandardStreams.writeError(
                "Warning: there is no project \(SettingError.quoted(name)). The key can open it only after its folder exists.\(hint)"
            )
        }
    }

    /// The response to a request, and the key that the request names.
    private struct Result {
        let body: [UInt8]
        /// The key before the request; nil if the request names none.
        var key: KeyView?
    }

    private static func perform(_ request: KeyRequest, _ access: KeyAccess) throws(CommandError) -> Result {
        let body = KeyBody.json(of: request)
        func perform(_ word: String, _ operation: (String) -> KeyOperation) throws(CommandError) -> Result {
            let key = try key(word, access)
            return Result(body: try access.perform(operation(key.id), body), key: key)
        }
        switch request {
        case .list: return Result(body: try access.perform(.list))
        case .create: return Result(body: try access.perform(.create, body))
        case .show(let key): return try perform(key) { .show(id: $0) }
        case .change(let key, _), .rename(let key, _): return try perform(key) { .change(id: $0) }
        case .revoke(let key): return try perform(key) { .revoke(id: $0) }
        case .rotate(let key, _): return try perform(key) { .rotate(id: $0) }
        }
    }

    /// Returns the key with this name or id.
    private static func key(_ word: String, _ access: KeyAccess) throws(CommandError) -> KeyView {
        let found = try keys(try access.perform(.list)).filter { $0.name == word || $0.id == word }
        guard let first = found.first else {
            throw CommandError(
                "There is no key with the name or id \(PlainText.line(word)). `\(GatewayVersion.program) key list` lists all keys."
            )
        }
        guard found.count == 1 else {
            throw CommandError(
                "\(PlainText.line(word)) is the name of one key and the id of another key. Write the id of the first key, "
                    + "or the name of the second one.")
        }
        return first
    }

    private static func keys(_ response: [UInt8]) throws(CommandError) -> [KeyView] {
        guard let list = KeyListView(jsonText: response) else { throw .notAGateway }
        return list.keys
    }

    private static func text(of request: KeyRequest, _ result: Result) throws(CommandError) -> String {
        switch request {
        case .list(let onlyNames):
            let keys = try keys(result.body)
            return onlyNames ? keys.map { PlainText.line($0.name) }.joined(separator: "\n") : KeyView.table(keys)
        case .revoke(let word): return "\(PlainText.line(result.key?.name ?? word)): revoked"
        default: break
        }
        guard let key = KeyView(jsonText: result.body) else { throw .notAGateway }
        switch request {
        case .create, .rotate:
            guard let secret = key.secret else { throw .notAGateway }
            // Only the key itself goes to stdout, so that a script can store it.
            StandardStreams.writeError(key.announcement)
            return PlainText.line(secret)
        case .rename(let word, _):
            let old = PlainText.line(result.key?.name ?? word)
            return key.name == result.key?.name
                ? "\(old): this is already the name" : "\(old): renamed to \(PlainText.line(key.name))"
        default: return key.description
        }
    }
}

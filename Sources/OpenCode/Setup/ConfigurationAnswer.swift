internal import FoundationEssentials

/// What an instance's answer about its configuration means.
package enum ConfigurationAnswer {
    /// Why it can't be used, as one sentence; nil when it can be.
    ///
    /// An error is `{"name","data":{"message","path"}}` or `{"_tag","message"}` (1.18, 2.0.15). Of its message only the lines
    /// that say what is wrong are told: OpenCode quotes the whole file, and keys may stand in it.
    package static func trouble(status: Int, body: [UInt8]) -> String? {
        guard status >= 400 else { return nil }
        let error = try? JSONDecoder().decode(Failure.self, from: Data(body))
        var what = [error?.name ?? error?._tag, error?.data?.path ?? error?.path].compactMap { $0 }.joined(
            separator: ", ")
        if let message = (error?.data?.message ?? error?.message).flatMap(gist) {
            what += what.isEmpty ? message : ": " + message
        }
        return
            "OpenCode can't use the project's configuration (\(status)\(what.isEmpty ? "" : ", " + cut(what))): mend its "
            + "opencode.json, then restart."
    }

    /// The first line, and the first that stands below `--- Errors ---`.
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

    private struct Failure: Decodable {
        struct Details: Decodable {
            var message: String?
            var path: String?
        }
        var name: String?
        var _tag: String?
        var message: String?
        var path: String?
        var data: Details?
    }
}

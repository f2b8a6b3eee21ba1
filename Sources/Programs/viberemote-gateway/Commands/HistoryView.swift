// SPDX-License-Identifier: Apache-2.0

import JSONText

/// The events of a project's instance, as reported by the running gateway.
struct HistoryView: JSONReadable, CustomStringConvertible {
    private struct Event: JSONReadable {
        let time: String
        let event: String
        let by: String?
        let version: String?
        let reason: String?

        init(json: JSON) throws(JSONMismatch) {
            time = try json.required("time")
            event = try json.required("event")
            by = try json.optional("by")
            version = try json.optional("version")
            reason = try json.optional("reason")
        }

        /// The event's description, split into its lines.
        var lines: [String] {
            let what = [by.map { "by \($0)" }, version.map { "OpenCode \($0)" }, reason].compactMap(\.self)
            return PlainText.lines(what.joined(separator: ": ")).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .map { String($0) }
        }
    }

    private let name: String
    private let history: [Event]

    init(json: JSON) throws(JSONMismatch) {
        name = try json.required("name")
        history = try json.required("history")
    }

    /// A table of the events with their times. Further lines of a description are indented.
    var description: String {
        guard !history.isEmpty else { return "No events are recorded for \(PlainText.line(name)) yet." }
        return PlainText.table(
            history.flatMap { event in
                event.lines.enumerated().map { index, line in
                    index == 0
                        ? [PlainText.line(event.time), PlainText.line(event.event), line]
                        : ["", "", line]
                }
            }
        ).split(separator: "\n", omittingEmptySubsequences: false).map(Self.withoutTrailingSpace).joined(
            separator: "\n")
    }

    private static func withoutTrailingSpace(_ line: Substring) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}

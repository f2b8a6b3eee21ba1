// SPDX-License-Identifier: Apache-2.0

import Encodings
import JSONText
internal import OpenCodeFamilies

/// The format of an event in a stream.
package enum EventShape: Sendable, Hashable {
    /// The data line as the instance sent it, as on OpenCode 1's `/global/event` and OpenCode 2's `/api/event`.
    case line
    /// The event alone, as on OpenCode 1's `/event`.
    case payload
    /// The event with its project and its directory, as on the gateway's own event streams.
    case project(String)
    /// Like ``project(_:)``, but each event is one line with an object that includes the event's id. A page of events
    /// has this format. A gap's line begins with `gap` and a space.
    case item(String)
    /// Like ``project(_:)``, but for the events of all projects. Each event contains the name of its own project.
    case all
    /// Like ``item(_:)``, but for the events of all projects. Each event contains the name of its own project.
    case allItems
}

/// Writes frames of a server-sent event stream (WHATWG HTML §9.2.5). If the response is chunked, each frame is a
/// separate chunk (RFC 9112 §7.1). If a frame was partly sent, the gateway can make it again from its event and send
/// the remainder.
package struct FrameWriter: Sendable {
    /// The shape of events in the stream.
    package let shape: EventShape
    /// Whether each frame is a chunk (RFC 9112 §7.1).
    package let isChunked: Bool
    /// The bytes that have been written.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer without any bytes.
    package init(_ shape: EventShape, isChunked: Bool) {
        self.shape = shape
        self.isChunked = isChunked
    }

    /// Writes an unchanged event.
    ///
    /// - Parameter id: The event's id in the stream, if it differs from the id in the project's log.
    package mutating func write(_ event: StoredEvent, id: EventID? = nil, project: String = "") {
        let id = id ?? event.id
        switch shape {
        case .line: event.withLine { write(id, before: [], $0, after: []) }
        case .payload:
            let range = event.payload
            event.withLine { write(id, before: [], $0.extracting(range), after: []) }
        case .project, .item, .all, .allItems:
            let before = Self.wrapper(name(or: project), event)
            let range = event.payload
            event.withLine { write(id, before: before, $0.extracting(range), after: Self.brace) }
        }
    }

    /// Writes a frame that an encoding or a translation has made from an event. The content of the frame replaces the
    /// event's own JSON.
    ///
    /// - Parameter project: The name of the project, which is used if the shape contains no project.
    package mutating func write(
        _ id: EventID, _ made: EncodedFrame.Made, of event: StoredEvent, project: String = ""
    ) {
        switch shape {
        case .line:
            if made.isTranslated {
                return write(id, before: Self.opening(made.skeleton.directory), made.payload.span, after: Self.brace)
            }
            let range = event.payload
            let (before, after) = event.withLine { line in
                (
                    [UInt8](copying: line.extracting(0..<range.lowerBound)),
                    [UInt8](copying: line.extracting(range.upperBound..<line.count))
                )
            }
            write(id, before: before, made.payload.span, after: after)
        case .payload: write(id, before: [], made.payload.span, after: [])
        case .project, .item, .all, .allItems:
            let name = name(or: project)
            let wrapper =
                made.isTranslated ? Self.wrapper(name, made.skeleton.directory) : Self.wrapper(name, event)
            write(id, before: wrapper, made.payload.span, after: Self.brace)
        }
    }

    /// Writes a translated event that is not in the log and therefore has no id.
    mutating func write(addition event: [UInt8], directory: [UInt8]?) {
        let (before, after) =
            switch shape {
            case .payload: ([UInt8](), [UInt8]())
            case .line: (Self.opening(directory), Self.brace)
            case .project, .item, .all, .allItems: (Self.wrapper(name(or: ""), directory), Self.brace)
            }
        writeFrame(Array("data: ".utf8) + before + event + after + Self.blank)
    }

    /// Writes a gap.
    ///
    /// - Parameter connected: The instance's frame that reports the beginning of a stream. When OpenCode's clients
    ///   receive this frame, they read their whole state again.
    package mutating func write(_ gap: EventGap, project: String?, connected: [UInt8]) {
        let json = Self.json(gap, project: project)
        switch shape {
        case .line, .payload: writeFrame(Array(": ".utf8) + json + Self.blank + OpenCodeEventID.renewed(in: connected))
        case .project, .all: writeFrame(Array("event: gap\ndata: ".utf8) + json + Self.blank)
        case .item, .allItems: writeFrame(Array("gap ".utf8) + json + [UInt8(ascii: "\n")])
        }
    }

    /// Writes a gap in a project's events with the gateway's own id. The gap is given as JSON.
    package mutating func write(gap json: [UInt8], id: EventID) {
        if case .allItems = shape { return writeFrame(Array("gap ".utf8) + json + [UInt8(ascii: "\n")]) }
        writeFrame(Array("id: \(id.text)\nevent: gap\ndata: ".utf8) + json + Self.blank)
    }

    private func name(or other: String) -> String {
        switch shape {
        case .project(let name), .item(let name): name
        case .line, .payload, .all, .allItems: other
        }
    }

    private var isItem: Bool {
        switch shape {
        case .item, .allItems: true
        case .line, .payload, .project, .all: false
        }
    }

    /// Writes a whole frame, including its blank line.
    package mutating func writeFrame(_ frame: [UInt8]) {
        beginChunk(frame.count)
        bytes += frame
        endChunk()
    }

    /// Writes the remaining bytes of a frame that was partly sent, including the remainder of its chunk.
    package mutating func writeRaw(_ remainder: some Collection<UInt8>) { bytes.append(contentsOf: remainder) }

    /// Removes all bytes, and keeps the allocated memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func write(
        _ id: EventID, before: [UInt8], _ payload: borrowing Span<UInt8>, after: [UInt8]
    ) {
        let text = Array(id.text.utf8)
        if isItem {
            bytes += Array("{\"id\":\"".utf8) + text + Array("\",".utf8) + before.dropFirst()
            bytes.append(copying: payload)
            bytes += after + [UInt8(ascii: "\n")]
            return
        }
        let count = 4 + text.count + 7 + before.count + payload.count + after.count + 2
        bytes.reserveCapacity(bytes.count + count + 16)
        beginChunk(count)
        bytes += Self.idField
        bytes += text
        bytes += Self.dataField
        bytes += before
        bytes.append(copying: payload)
        bytes += after
        bytes += Self.blank
        endChunk()
    }

    private mutating func beginChunk(_ count: Int) {
        guard isChunked else { return }
        bytes.append(hexadecimal: UInt64(count))
        bytes += Self.lineEnd
    }

    private mutating func endChunk() {
        if isChunked { bytes += Self.lineEnd }
    }

    /// Returns the bytes that precede an event on the gateway's own event streams.
    private static func wrapper(_ project: String, _ event: StoredEvent) -> [UInt8] {
        wrapper(project, event.withDirectory { [UInt8](copying: $0) })
    }

    private static func wrapper(_ project: String, _ directory: [UInt8]?) -> [UInt8] {
        var bytes = Array("{\"project\":".utf8)
        bytes.append(jsonString: project)
        bytes += Array(",\"directory\":".utf8)
        if let directory { bytes.append(jsonString: String(decoding: directory, as: UTF8.self)) } else { bytes += null }
        bytes += Array(",\"event\":".utf8)
        return bytes
    }

    /// Returns the bytes before an event on OpenCode 1's `/global/event`. Events that concern the whole server have no
    /// directory.
    private static func opening(_ directory: [UInt8]?) -> [UInt8] {
        guard let directory else { return Array("{\"payload\":".utf8) }
        var bytes = Array("{\"directory\":".utf8)
        bytes.append(jsonString: String(decoding: directory, as: UTF8.self))
        bytes += Array(",\"payload\":".utf8)
        return bytes
    }

    /// Returns a gap as JSON.
    package static func json(_ gap: EventGap, project: String?) -> [UInt8] {
        func text(_ id: EventID?) -> String { id.map { "\"\($0.text)\"" } ?? "null" }
        return Array(
            "{\"project\":\(project.map { JSONText.quoted($0) } ?? "null"),\"from\":\(text(gap.from)),\"to\":\(text(gap.to)),\"reason\":\"\(gap.reason.rawValue)\"}"
                .utf8)
    }

    private static let idField = Array("id: ".utf8)
    private static let dataField = Array("\ndata: ".utf8)
    private static let blank = Array("\n\n".utf8)
    private static let null = Array("null".utf8)
    private static let brace = Array("}".utf8)
    private static let lineEnd = Array("\r\n".utf8)
}

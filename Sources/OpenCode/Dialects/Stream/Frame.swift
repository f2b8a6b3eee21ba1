// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// An OpenCode 1 event that is the translation of an OpenCode 2 event, or a part of this translation.
package struct Frame: Sendable, Equatable {
    /// The content of a frame.
    package enum Content: Sendable, Equatable {
        case event(Event)
        /// A `message.part.delta` event whose text was not parsed.
        case delta(TranslatedDelta)
    }

    /// The content of the frame.
    package let content: Content
    /// The directory whose event streams send the frame; nil for all directories.
    package let directory: String?

    init(_ content: Content, directory: String?) {
        self.content = content
        self.directory = directory
    }

    /// The frame's event as a value.
    package var event: Event {
        switch content {
        case .event(let event): event
        case .delta(let delta): delta.event
        }
    }

    /// Whether the event reports that a session has become idle.
    package var isIdle: Bool {
        if case .event(let event) = content, case .status(_, .idle) = event.change { true } else { false }
    }

    /// Returns the event's JSON for clients of the given edition; nil if they have no such event.
    ///
    /// - Parameter time: The time of the event, as in ``Event/json(_:time:)``.
    package func bytes(_ edition: Edition = .current, time: Number? = nil) -> [UInt8]? {
        switch content {
        case .event(let event): event.json(edition, time: time)?.bytes
        case .delta(let delta): delta.bytes
        }
    }
}

/// An OpenCode 1 `message.part.delta` event whose text is stored in the bytes of OpenCode 2's event.
package struct TranslatedDelta: Sendable, Equatable {
    /// The JSON of OpenCode 2's event.
    private let line: [UInt8]
    private let delta: ScannedDelta
    private let part: GrowingPart

    init(_ delta: ScannedDelta, of line: [UInt8], to part: GrowingPart) {
        self.line = line
        self.delta = delta
        self.part = part
    }

    /// The event as a value. Only the added text is parsed.
    var event: Event {
        let added = Change.Delta(
            sessionID: part.sessionID, messageID: part.messageID, partID: part.partID, field: GrowingPart.field,
            delta: JSONParser.parse(Array(line[delta.addition])) ?? .string(""))
        return Event(id: String(decoding: line[delta.id], as: UTF8.self), .partDelta(added))
    }

    /// The JSON text of the event as OpenCode 1 writes it.
    var bytes: [UInt8] {
        var written: [UInt8] = []
        written.reserveCapacity(delta.id.count + part.opening.count + delta.addition.count + 12)
        written += #"{"id":""#.utf8
        written += line[delta.id]
        written.append(UInt8(ascii: "\""))
        written += part.opening
        written += line[delta.addition]
        written += "}}".utf8
        return written
    }

    /// Returns whether both deltas have the same JSON.
    package static func == (left: TranslatedDelta, right: TranslatedDelta) -> Bool { left.bytes == right.bytes }
}

/// An OpenCode 1 part to which deltas are added. The type is a class, so that all deltas of the part share one object.
final class GrowingPart: Sendable {
    /// The member of the part to which the deltas are added.
    static let field = "text"

    let sessionID: String
    let messageID: String
    let partID: String
    /// The bytes between the event's id and the added text in the event of a delta.
    let opening: [UInt8]

    init(_ partID: String, of info: AssistantMessage) {
        sessionID = info.sessionID
        messageID = info.id
        self.partID = partID
        var bytes = Array(#","type":"message.part.delta","properties":{"sessionID":"#.utf8)
        bytes.append(json: .string(sessionID))
        bytes += #","messageID":"#.utf8
        bytes.append(json: .string(messageID))
        bytes += #","partID":"#.utf8
        bytes.append(json: .string(partID))
        bytes += #","field":"#.utf8
        bytes.append(json: .string(Self.field))
        bytes += #","delta":"#.utf8
        opening = bytes
    }
}

/// The result of translating an event.
package enum TranslationResult: Sendable, Equatable {
    /// The events to send, in order; there may be none.
    case frames([Frame])
    /// The session is unknown. The caller passes the session's state to
    /// ``StreamTranslator/restore(session:messages:inbox:isRunning:before:)``. If OpenCode does not have the session,
    /// the caller calls ``StreamTranslator/ignore(session:)`` instead. The caller then translates the event again.
    case needs(sessionID: String)
}

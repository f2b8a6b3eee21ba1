// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// The event stream of one answer (`text/event-stream`), as a state machine that receives events and returns bytes. All
/// bytes are ASCII, because the client decodes them as Latin-1.
package struct AnswerStream: Sendable {
    /// An action that the caller performs.
    package enum Action: Sendable, Equatable {
        case write([UInt8])
        /// End the response. The stream is complete.
        case end
    }

    /// OpenCode's id of the session.
    package let session: String
    let messageID: String
    private let conversation: ConversationID
    private var id: String
    private var hasText = false
    private var isOver = false
    private var failure: JSON?
    private var lastWrite: Int64

    /// The time in milliseconds without an event after which a comment is sent. The client gives up after 300 s of
    /// silence.
    private static let silence: Int64 = 15_000

    init(_ conversation: ConversationID, session: String, messageID: String, at now: Int64) {
        self.conversation = conversation
        self.session = session
        self.messageID = messageID
        id = Entry.answerID(to: messageID, in: session)
        lastWrite = now
    }

    /// The time for the next call of ``wake(at:)``, in milliseconds since 1970.
    package var deadline: Int64 { lastWrite + Self.silence }

    /// Processes an event of the session.
    package mutating func receive(_ event: ConversationEvent, at now: Int64) -> [Action] {
        guard !isOver, event.session == session else { return [] }
        switch event.content {
        case .answer(let id, let event) where id == self.id: return actions(event, now)
        case .renamed(let sent, let actual):
            if sent == messageID { id = Entry.answerID(to: actual, in: session) }
            return []
        case .answer: return []
        case .deleted:
            return finish("", refusal: ConversationError(.notFound, "The conversation was deleted."), at: now)
        }
    }

    /// Ends the stream, with the reason why OpenCode has not accepted the prompt.
    package mutating func refused(_ refusal: ConversationError, at now: Int64) -> [Action] {
        guard !isOver else { return [] }
        return finish(refusal.message, refusal: refusal, at: now)
    }

    /// Sends a comment if the deadline has passed.
    package mutating func wake(at now: Int64) -> [Action] {
        guard !isOver, now >= deadline else { return [] }
        lastWrite = now
        return [.write(Array(": \n\n".utf8))]
    }

    private mutating func actions(_ event: TurnEvent, _ now: Int64) -> [Action] {
        switch event {
        case .text(let text):
            hasText = true
            return [write(["deltaText": .string(text)], now)]
        case .failed(let reason):
            failure = ConversationAnswer.problem("provider_error", reason)
            return []
        case .done(let text): return finish(text, refusal: nil, at: now)
        case .thinking, .thinkingDone, .toolStarted, .toolDone: return []
        }
    }

    private mutating func finish(_ text: String, refusal: ConversationError?, at now: Int64) -> [Action] {
        isOver = true
        if let refusal { failure = ConversationAnswer.problem(ConversationAnswer.code(refusal), refusal.message) }
        var actions: [Action] = []
        // If no text has been sent, `text` is the reason why there is no answer, so send `text`.
        if !hasText, !text.isEmpty { actions.append(write(["deltaText": .string(text)], now)) }
        actions.append(write(["fullText": .string(text), "done": true, "error": failure], now))
        return actions + [.end]
    }

    private mutating func write(_ members: JSON, _ now: Int64) -> Action {
        lastWrite = now
        var event = JSONObject()
        event.add("conversationId", conversation.text)
        event.add("messageId", id)
        event.add(members.object ?? JSONObject())
        return .write(Array("data: ".utf8) + JSON.object(event).bytes.escapedToASCII + Array("\n\n".utf8))
    }
}

extension [UInt8] {
    /// The same JSON in ASCII (RFC 8259 §7). Every non-ASCII character is within a string, so it can be escaped.
    fileprivate var escapedToASCII: [UInt8] {
        if allSatisfy({ $0 < 0x80 }) { return self }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(count * 2)
        for unit in String(decoding: self, as: UTF8.self).utf16 {
            if unit < 0x80 {
                escaped.append(UInt8(unit))
            } else {
                escaped += "\\u".utf8
                escaped.append(hexadecimal: UInt64(unit), digits: 4)
            }
        }
        return escaped
    }
}

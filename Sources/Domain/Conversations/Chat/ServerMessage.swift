// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Creates the messages to a chat's client, as JSON.
enum ServerMessage {
    /// The maximum number of text bytes in a chunk. The client accepts messages of up to 1 MiB. An escape of JSON can turn one byte into six.
    static let chunk = 64 * 1024
    /// The maximum total size of the messages in `conversation_loaded`, in bytes.
    static let loaded = 768 * 1024
    /// The maximum number of characters of a tool's result.
    static let result = 4_000
    /// The maximum number of characters of a title that is derived from a message.
    static let title = 50

    private static func message(
        _ type: String, id: String? = nil, _ conversation: ConversationID? = nil, content: String? = nil,
        metadata: JSON? = nil
    ) -> [UInt8] {
        let json: JSON = [
            "type": .string(type), "id": id.map(JSON.string), "conversationId": conversation.map { .string($0.text) },
            "content": content.map(JSON.string), "metadata": metadata,
        ]
        return json.bytes
    }

    static func status(_ catalogue: Catalogue?, version: String) -> [UInt8] {
        message(
            "status",
            metadata: [
                "connected": true, "hasApiKey": .bool(catalogue.map { !$0.models.isEmpty } ?? true),
                "toolCount": .number(Number(catalogue?.toolCount ?? 0)), "workflowCount": 0,
                "daemonVersion": .string(version),
            ])
    }

    static func pong() -> [UInt8] { message("pong") }

    static func error(_ problem: ClientMessage.Problem) -> [UInt8] {
        message("error", content: problem.message, metadata: ["code": .string(problem.code)])
    }

    static func done(_ conversation: ConversationID, id: String) -> [UInt8] {
        message("assistant_done", id: id, conversation)
    }

    static func created(_ conversation: ConversationID, title: String) -> [UInt8] {
        message("conversation_created", conversation, metadata: ["title": .string(title)])
    }

    static func deleted(_ conversation: ConversationID) -> [UInt8] { message("conversation_deleted", conversation) }

    /// A conversation in the list of conversations.
    struct Listed: Sendable, Equatable {
        let id: ConversationID
        let title: String
        let lastMessage: Int64
        let count: Int
    }

    /// Returns a list of the newest conversations, as many as fit into a message.
    static func list(_ conversations: [Listed]) -> [UInt8] {
        var size = 0
        let items = conversations.map { listed -> JSON in
            [
                "id": .string(listed.id.text), "title": .string(listed.title),
                "lastMessageAt": .string(date(listed.lastMessage)), "messageCount": .number(Number(listed.count)),
            ]
        }
        let fitting = items.prefix { item in
            size += item.bytes.count + 1
            return size <= loaded
        }
        return message("conversation_list", metadata: ["conversations": .array(Array(fitting))])
    }

    /// Returns a conversation with its newest messages, as many as fit into a message.
    static func loaded(_ conversation: ConversationID, title: String, _ entries: [Entry], isAll: Bool) -> [UInt8] {
        var messages: [JSON] = []
        var size = 0
        for entry in entries.reversed() {
            let message: JSON = [
                "role": .string(entry.role.rawValue), "content": .string(entry.text),
                "timestamp": .string(date(entry.time)),
            ]
            size += message.bytes.count + 1
            guard size <= loaded else { break }
            messages.append(message)
        }
        let isCut = messages.count < entries.count || !isAll
        return message(
            "conversation_loaded", conversation,
            metadata: [
                "title": .string(title), "messages": .array(messages.reversed()), "truncated": isCut ? true : nil,
            ])
    }

    // MARK: Answers

    /// Returns the messages for an event of an answer.
    ///
    /// - Parameter servers: The names of the MCP servers.
    static func answer(_ conversation: ConversationID, id: String, _ event: TurnEvent, servers: [String]) -> [[UInt8]] {
        switch event {
        case .text(let text): chunks(text).map { message("assistant_chunk", conversation, content: $0) }
        case .thinking(let text): chunks(text).map { message("thinking_chunk", conversation, content: $0) }
        case .thinkingDone(let milliseconds):
            [message("thinking_done", conversation, metadata: ["thinkingDuration": seconds(milliseconds)])]
        case .toolStarted(let tool):
            [
                message(
                    "tool_call_start", id: tool.id, conversation,
                    metadata: [
                        "toolName": .string(tool.name),
                        "serverName": .string(Catalogue.owner(of: tool.name, servers)), "input": input(tool),
                    ])
            ]
        case .toolDone(let tool, let end): [done(tool, end: end, in: conversation)]
        case .failed(let reason): [error(ClientMessage.Problem("API_ERROR", cut(reason)))]
        case .done: [done(conversation, id: id)]
        }
    }

    private static func done(_ tool: ToolStart, end: ToolEnd, in conversation: ConversationID) -> [UInt8] {
        let isSuccess: Bool
        let (result, error): (JSON?, JSON?)
        switch end.outcome {
        case .success(let text):
            isSuccess = true
            result = .string(cut(text))
            error = nil
        case .failure(let text):
            isSuccess = false
            result = nil
            error = .string(cut(text))
        }
        return message(
            "tool_call_done", id: tool.id, conversation,
            metadata: [
                "toolName": .string(tool.name), "success": .bool(isSuccess), "result": result, "error": error,
                "duration": seconds(end.milliseconds),
            ])
    }

    /// Returns a tool's input. An input that does not fit into a message is replaced with `truncated`.
    private static func input(_ tool: ToolStart) -> JSON {
        let input = JSON.object(tool.input)
        guard input.bytes.count > loaded else { return input }
        return ["truncated": true]
    }

    /// Returns the first 4,000 characters, followed by a marker if the text is longer.
    static func cut(_ text: String) -> String {
        // Compare the number of bytes first, because a text has at most as many characters as bytes, and computing the
        // index would traverse a long text.
        guard text.utf8.count > result,
            let end = text.index(text.startIndex, offsetBy: result, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + "\n[...truncated]"
    }

    /// Splits a text into chunks, between characters if possible.
    static func chunks(_ text: String) -> [String] {
        var remainder = text[...]
        var chunks: [String] = []
        while remainder.utf8.count > chunk {
            let limit = remainder.utf8.index(remainder.startIndex, offsetBy: chunk)
            var end = scalarBorder(remainder, limit)
            let character = remainder.characterBorder(at: end)
            if character > remainder.startIndex { end = character }
            chunks.append(String(remainder[..<end]))
            remainder = remainder[end...]
        }
        if !remainder.isEmpty { chunks.append(String(remainder)) }
        return chunks
    }

    /// Returns the last boundary between scalars at or before `limit`.
    private static func scalarBorder(_ text: Substring, _ limit: String.Index) -> String.Index {
        var end = limit
        // All bytes of a scalar except the first are 10xxxxxx (RFC 3629 §3), so step back over them.
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return end
    }

    /// Returns the duration in seconds, but never as a whole number, which the client would interpret as another type.
    static func seconds(_ milliseconds: Int64) -> JSON {
        let shown = max(milliseconds, 0)
        let odd = shown % 1_000 == 0 ? shown + 1 : shown
        let digits = String(odd % 1_000)
        return .number(
            Number(text: "\(odd / 1_000)." + String(repeating: "0", count: 3 - digits.utf8.count) + digits))
    }

    /// Returns the time in ISO 8601 format, without fractions of seconds.
    static func date(_ milliseconds: Int64) -> String { Timestamp.utc(milliseconds: milliseconds) }
}

extension Substring {
    /// Returns the last boundary between characters at or before `index`.
    fileprivate func characterBorder(at index: Index) -> Index {
        guard index < endIndex, self.index(after: startIndex) <= index else { return startIndex }
        // `index(before:)` first rounds an index within a character down to the beginning of that character.
        return self.index(after: self.index(before: index))
    }
}

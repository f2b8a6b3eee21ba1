// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// An answer while it is being written, which consists of all messages that answer one user message. The turn tracks
/// the emitted events. Content that arrives repeatedly, in events or in lists, is therefore emitted only once.
struct Turn: Sendable {
    /// OpenCode's id of the user message.
    let root: String
    /// The UUID of the answer.
    let id: String
    /// The reason for the failure; nil while no failure is known.
    var failure: String?
    /// The items in the order of their first event.
    private(set) var items: [Item] = []
    private var parts: [String: Spoken] = [:]
    private var tools: [String: Tool] = [:]
    /// All texts of the answer so far, joined.
    private(set) var fullText = ""

    /// An item of the answer as the client sees it.
    enum Item: Sendable, Equatable {
        case text(part: String)
        case thinking(Reasoning)
        case tool(part: String)
    }

    /// Consecutive reasoning parts, which the client shows as one thought.
    struct Reasoning: Sendable, Equatable {
        /// The id of the last part.
        var part: String
        var text: String
        var start: Int64
        /// The duration of the thought in milliseconds; nil before its end.
        var milliseconds: Int64?
    }

    /// A text or a thought that is growing.
    private struct Spoken: Sendable {
        var text = ""
        /// The separator before the text, if it follows another text.
        var lead = ""
        var addition = Addition()
        var start: Int64 = 0
        var end: Int64?
        var isReasoning: Bool
        /// Whether deltas are ignored, because some are missing or already known. The complete text later supplies the
        /// remainder.
        var ignoresDeltas = false
        /// Whether the part's later text contradicts the emitted text, so that nothing more is emitted for the part.
        var isSettled = false

        /// Adds a delta. Returns nil if deltas are ignored.
        mutating func grow(_ delta: JSON) -> String? {
            guard !ignoresDeltas, !isSettled, end == nil else { return nil }
            let added = addition.add(delta)
            text += added
            return added
        }
    }

    private struct Tool: Sendable {
        var start: ToolStart
        var end: ToolEnd?
    }

    init(root: String, in session: String) {
        self.root = root
        id = Entry.answerID(to: root, in: session)
    }

    // MARK: Incoming parts

    /// Applies the current state of a part.
    ///
    /// - Parameters:
    ///   - isRead: Whether the part was read from a list. Deltas that the list already contains may still arrive as
    ///     events.
    ///   - now: The time in milliseconds since 1970.
    mutating func apply(_ part: Part, isRead: Bool = false, at now: Int64) -> [TurnEvent] {
        switch part.kind {
        case .text(let text) where text.isSynthetic != true:
            return spoken(
                part.id, text: text.text, start: text.time?.start, end: text.time?.end, isReasoning: false,
                isRead: isRead, at: now)
        case .reasoning(let reasoning):
            let time = reasoning.time
            return spoken(
                part.id, text: reasoning.text, start: time.start, end: time.end, isReasoning: true, isRead: isRead,
                at: now)
        case .tool(let call): return called(part.id, with: call, at: now)
        default: return []
        }
    }

    /// Applies a delta of a part.
    mutating func apply(_ delta: Change.Delta, at now: Int64) -> [TurnEvent] {
        // Change the part in place. A copy for each delta would make a long text slow.
        guard delta.field == "text", let added = parts[delta.partID]?.grow(delta.delta) else { return [] }
        return emit(added, in: delta.partID, at: now)
    }

    /// Records that deltas were missed. The parts that are being written continue when their complete text arrives.
    mutating func miss() {
        for id in parts.keys where parts[id]?.end == nil { parts[id]?.ignoresDeltas = true }
    }

    /// Ends the answer and returns its last events.
    mutating func finish(at now: Int64) -> [TurnEvent] {
        var events = finishReasoning(now)
        for item in items {
            guard case .tool(let part) = item, var tool = tools[part], tool.end == nil else { continue }
            let end = ToolEnd(outcome: .failure("The tool call was aborted."), milliseconds: now - tool.start.time)
            tool.end = end
            tools[part] = tool
            events.append(.toolDone(tool.start, end))
        }
        if let failure {
            events.append(.failed(failure))
            if fullText.isEmpty { fullText = failure }
        }
        return events + [.done(fullText: fullText)]
    }

    // MARK: Replayed events

    /// All events so far, for a client that connects later.
    var events: [TurnEvent] {
        items.flatMap { item -> [TurnEvent] in
            switch item {
            case .text(let part): return [.text(whole(part))]
            case .thinking(let reasoning):
                let text = TurnEvent.thinking(reasoning.text)
                return reasoning.milliseconds.map { [text, .thinkingDone(milliseconds: $0)] } ?? [text]
            case .tool(let part):
                guard let tool = tools[part] else { return [] }
                return [.toolStarted(tool.start)] + (tool.end.map { [.toolDone(tool.start, $0)] } ?? [])
            }
        }
    }

    private func whole(_ part: String) -> String { parts[part].map { $0.lead + $0.text } ?? "" }

    // MARK: Texts

    private mutating func spoken(
        _ id: String, text: String, start: Number?, end: Number?, isReasoning: Bool, isRead: Bool, at now: Int64
    ) -> [TurnEvent] {
        let isNew = parts[id] == nil
        var known = parts[id] ?? Spoken(isReasoning: isReasoning)
        if isNew { known.start = start?.milliseconds ?? now }
        if let end, known.end == nil { known.end = end.milliseconds }
        let old = known.text.utf8
        let new = text.utf8
        var added = ""
        if new.count > old.count, !known.isSettled {
            if new.starts(with: old) {
                added = String(decoding: new.dropFirst(old.count), as: UTF8.self)
                known.text = text
                // Deltas that the list already contains may still arrive, so ignore deltas until the complete text
                // arrives.
                if isRead, known.end == nil { known.ignoresDeltas = true }
            } else {
                known.isSettled = true
                known.text = text
            }
        }
        if text.isEmpty, old.isEmpty, known.end == nil {
            // Since 1.2, OpenCode stores a text only when it is complete, so a list does not show how many deltas
            // preceded the list. No delta precedes an event that begins the part.
            known.ignoresDeltas = isRead && (isNew || known.ignoresDeltas)
        }
        parts[id] = known
        return emit(added, in: id, at: now)
    }

    private mutating func emit(_ added: String, in id: String, at now: Int64) -> [TurnEvent] {
        guard !added.isEmpty, let known = parts[id] else { return [] }
        return known.isReasoning
            ? appendReasoning(added, in: id, known: known, at: now) : appendText(added, in: id, at: now)
    }

    private mutating func appendText(_ added: String, in id: String, at now: Int64) -> [TurnEvent] {
        var events = finishReasoning(now)
        var added = added
        if items.last != .text(part: id), !items.contains(.text(part: id)) {
            let lead = Entry.space(between: fullText, and: added)
            parts[id]?.lead = lead
            items.append(.text(part: id))
            added = lead + added
        }
        fullText += added
        events.append(.text(added))
        return events
    }

    private mutating func appendReasoning(_ added: String, in id: String, known: Spoken, at now: Int64) -> [TurnEvent] {
        if case .thinking(var reasoning) = items.last, reasoning.milliseconds == nil {
            let lead = reasoning.part == id ? "" : Entry.space(between: reasoning.text, and: added)
            reasoning.part = id
            reasoning.text += lead + added
            items[items.count - 1] = .thinking(reasoning)
            return [.thinking(lead + added)]
        }
        items.append(.thinking(Reasoning(part: id, text: added, start: known.start)))
        return [.thinking(added)]
    }

    /// Ends a thought at the first text or tool that follows it.
    private mutating func finishReasoning(_ now: Int64) -> [TurnEvent] {
        guard case .thinking(var reasoning) = items.last, reasoning.milliseconds == nil else { return [] }
        let end = parts[reasoning.part]?.end ?? now
        let milliseconds = max(end - reasoning.start, 0)
        reasoning.milliseconds = milliseconds
        items[items.count - 1] = .thinking(reasoning)
        return [.thinkingDone(milliseconds: milliseconds)]
    }

    // MARK: Tools

    private mutating func called(_ id: String, with call: ToolCall, at now: Int64) -> [TurnEvent] {
        // The input of a pending call is not known yet, so report the call only when it runs.
        guard call.state.status != .pending, tools[id]?.end == nil else { return [] }
        var events: [TurnEvent] = []
        let time = call.state.time
        let started = tools[id]?.start
        let start =
            started
            ?? ToolStart(
                id: NamedUUID.make(id, in: NamedUUID.tools), name: call.tool, input: call.state.input,
                time: time?.start.milliseconds ?? now)
        if started == nil {
            events += finishReasoning(now)
            tools[id] = Tool(start: start)
            items.append(.tool(part: id))
            events.append(.toolStarted(start))
        }
        let outcome: ToolEnd.ToolResult
        switch call.state.status {
        case .completed: outcome = .success(call.state.output ?? "")
        case .error: outcome = .failure(call.state.error ?? "The tool failed.")
        case .pending, .running: return events
        }
        let end = ToolEnd(outcome: outcome, milliseconds: max((time?.end?.milliseconds ?? now) - start.time, 0))
        tools[id]?.end = end
        return events + [.toolDone(start, end)]
    }
}

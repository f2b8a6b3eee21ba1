internal import Dialects
internal import JSONText

/// One answer while it is written: all messages that answer one of a user's. It knows what was told of it, so that
/// whatever comes again, from an event or a list, is told once.
struct Turn: Sendable {
    /// OpenCode's id of the user's message.
    let root: String
    /// The answer's UUID.
    let id: String
    /// Why it failed; nil while nothing says so.
    var failure: String?
    /// In the order in which they were told first.
    private(set) var items: [Item] = []
    private var parts: [String: Spoken] = [:]
    private var tools: [String: Tool] = [:]
    /// All texts of the answer so far, joined.
    private(set) var fullText = ""

    /// A piece of the answer as the client sees it.
    enum Item: Sendable, Equatable {
        case text(part: String)
        case thinking(Thought)
        case tool(part: String)
    }

    /// Parts that are one thought for the client.
    struct Thought: Sendable, Equatable {
        /// The last of them.
        var part: String
        var text: String
        var start: Int64
        /// How long it took, once it is over.
        var milliseconds: Int64?
    }

    /// A text that grows.
    private struct Spoken: Sendable {
        var text = ""
        /// What stands before it, as it follows another one.
        var lead = ""
        var addition = Addition()
        var start: Int64 = 0
        var end: Int64?
        var isThought: Bool
        /// Its pieces are not taken, because some are missing or known already: the whole text says what is missing.
        var isHeld = false
        /// What was told of it turned out to be different: nothing more is told.
        var isSettled = false

        /// Adds a piece; nil where pieces are not taken.
        mutating func grow(_ piece: JSON) -> String? {
            guard !isHeld, !isSettled, end == nil else { return nil }
            let added = addition.add(piece)
            text += added
            return added
        }
    }

    private struct Tool: Sendable {
        var start: ToolStart
        var end: ToolEnd?
    }

    init(root: String, in session: String) { (self.root, id) = (root, Entry.answerID(to: root, in: session)) }

    // MARK: What comes in

    /// A part as it stands now. `isRead`: it was read from a list, whose pieces may still come as events. `now`: milliseconds
    /// since 1970.
    mutating func take(_ part: Part, isRead: Bool = false, at now: Int64) -> [TurnEvent] {
        switch part.kind {
        case .text(let text) where text.isSynthetic != true:
            return spoken(
                part.id, text.text, start: text.time?.start, end: text.time?.end, isThought: false, isRead, now)
        case .reasoning(let thought):
            let time = thought.time
            return spoken(part.id, thought.text, start: time.start, end: time.end, isThought: true, isRead, now)
        case .tool(let call): return called(part.id, call, now)
        default: return []
        }
    }

    /// A piece that is added to a part.
    mutating func take(_ delta: Change.Delta, at now: Int64) -> [TurnEvent] {
        // In place: a copy for each piece would make a long text slow.
        guard delta.field == "text", let added = parts[delta.partID]?.grow(delta.delta) else { return [] }
        return tell(added, delta.partID, now)
    }

    /// Pieces were missed: the parts that are being written are told on when they are whole.
    mutating func miss() {
        for id in parts.keys where parts[id]?.end == nil { parts[id]?.isHeld = true }
    }

    /// The answer is over.
    mutating func end(at now: Int64) -> [TurnEvent] {
        var events = endThought(now)
        for item in items {
            guard case .tool(let part) = item, var tool = tools[part], tool.end == nil else { continue }
            let end = ToolEnd(outcome: .failure("The call was broken off."), milliseconds: now - tool.start.time)
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

    // MARK: What is told again

    /// All that was told, for somebody who comes later.
    var told: [TurnEvent] {
        items.flatMap { item -> [TurnEvent] in
            switch item {
            case .text(let part): return [.text(whole(part))]
            case .thinking(let thought):
                let text = TurnEvent.thinking(thought.text)
                return thought.milliseconds.map { [text, .thinkingDone(milliseconds: $0)] } ?? [text]
            case .tool(let part):
                guard let tool = tools[part] else { return [] }
                return [.toolStarted(tool.start)] + (tool.end.map { [.toolDone(tool.start, $0)] } ?? [])
            }
        }
    }

    private func whole(_ part: String) -> String { parts[part].map { $0.lead + $0.text } ?? "" }

    // MARK: Texts

    private mutating func spoken(
        _ id: String, _ text: String, start: Number?, end: Number?, isThought: Bool, _ isRead: Bool, _ now: Int64
    ) -> [TurnEvent] {
        let isNew = parts[id] == nil
        var known = parts[id] ?? Spoken(isThought: isThought)
        if isNew { known.start = start?.milliseconds ?? now }
        if let end, known.end == nil { known.end = end.milliseconds }
        let (old, new) = (known.text.utf8, text.utf8)
        var added = ""
        if new.count > old.count, !known.isSettled {
            if new.starts(with: old) {
                added = String(decoding: new.dropFirst(old.count), as: UTF8.self)
                known.text = text
                // Pieces of what was read may still be on their way.
                if isRead, known.end == nil { known.isHeld = true }
            } else {
                known.isSettled = true
                known.text = text
            }
        }
        if text.isEmpty, old.isEmpty, known.end == nil {
            // OpenCode since 1.2 stores a text when it is complete: a list does not say how many pieces of it came before. An
            // event does, since it begins the part.
            known.isHeld = isRead && (isNew || known.isHeld)
        }
        parts[id] = known
        return tell(added, id, now)
    }

    private mutating func tell(_ added: String, _ id: String, _ now: Int64) -> [TurnEvent] {
        guard !added.isEmpty, let known = parts[id] else { return [] }
        return known.isThought ? think(added, id, known, now) : say(added, id, now)
    }

    private mutating func say(_ added: String, _ id: String, _ now: Int64) -> [TurnEvent] {
        var events = endThought(now)
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

    private mutating func think(_ added: String, _ id: String, _ known: Spoken, _ now: Int64) -> [TurnEvent] {
        if case .thinking(var thought) = items.last, thought.milliseconds == nil {
            let lead = thought.part == id ? "" : Entry.space(between: thought.text, and: added)
            thought.part = id
            thought.text += lead + added
            items[items.count - 1] = .thinking(thought)
            return [.thinking(lead + added)]
        }
        items.append(.thinking(Thought(part: id, text: added, start: known.start)))
        return [.thinking(added)]
    }

    /// The first text or tool ends a thought.
    private mutating func endThought(_ now: Int64) -> [TurnEvent] {
        guard case .thinking(var thought) = items.last, thought.milliseconds == nil else { return [] }
        let end = parts[thought.part]?.end ?? now
        let milliseconds = max(end - thought.start, 0)
        thought.milliseconds = milliseconds
        items[items.count - 1] = .thinking(thought)
        return [.thinkingDone(milliseconds: milliseconds)]
    }

    // MARK: Tools

    private mutating func called(_ id: String, _ call: ToolCall, _ now: Int64) -> [TurnEvent] {
        // The input of a pending call is not there yet.
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
            events += endThought(now)
            tools[id] = Tool(start: start)
            items.append(.tool(part: id))
            events.append(.toolStarted(start))
        }
        let outcome: ToolEnd.Result
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

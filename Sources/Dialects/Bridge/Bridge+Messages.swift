internal import JSONText

extension Bridge {
    /// Routes of what is said in sessions; nil for any other.
    func turns(_ route: String, _ values: [String], _ request: ClientRequest) -> BridgeStep? {
        let id = values.first ?? ""
        switch route {
        case "GET /session/{sessionID}/message": return messages(id, request)
        case "GET /session/{sessionID}/message/{messageID}": return session(id) { one(values[1], $0) }
        case "POST /session/{sessionID}/message":
            return prompt(id, request, isAwaited: true) { session, sent in
                awaitTurn(session) { .awaitStreams { lastAnswer(session, after: sent) } }
            }
        case "POST /session/{sessionID}/prompt_async":
            return prompt(id, request) { _, _ in .answer(ClientAnswer(204, nil)) }
        case "POST /session/{sessionID}/command": return command(id, request)
        case "POST /session/{sessionID}/shell": return shell(id, request)
        case "POST /session/{sessionID}/summarize": return summarize(id, request)
        default: return nil
        }
    }

    /// How many of OpenCode 2's messages are asked for at once.
    private static let page = 100
    /// Bytes of a page that are held at once, about; fewer messages are asked for where one is longer.
    private static let longestPage = 1024 * 1024

    /// Asks for a page. One that is too long is asked for again with fewer messages.
    private func pages(
        _ id: String, order: String, limit: Int, cursor: String?,
        _ next: @escaping @Sendable (_ limit: Int, Reply) -> BridgeStep
    ) -> BridgeStep {
        let longest = limit > 1 ? Self.longestPage : Call.longestReply
        return .call(page(id, order: order, limit: limit, cursor: cursor, longest: longest)) { reply in
            guard reply.isCut, limit > 1 else { return next(limit, reply) }
            return pages(id, order: order, limit: max(limit / 5, 1), cursor: cursor, next)
        }
    }

    private func page(
        _ id: String, order: String, limit: Int, cursor: String?, longest: Int = Call.longestReply
    ) -> Call {
        // A cursor says the order, too.
        let query: [(String, String?)] = [
            ("limit", String(limit)), ("order", cursor == nil ? order : nil), ("cursor", cursor),
        ]
        return Call("GET", ["api", "session", id, "message"], query: query, longestReply: longest)
    }

    private func inbox(_ id: String, _ next: @escaping @Sendable ([JSON]) -> BridgeStep) -> BridgeStep {
        ask(Call("GET", ["api", "session", id, "inbox"])) { next($0.data?.array ?? []) }
    }

    private func messages(_ id: String, _ request: ClientRequest) -> BridgeStep {
        if let wrong = request.wrong([("limit", .count(from: 0))]) { return .answer(wrong) }
        let limit = request["limit"].flatMap { Int($0) } ?? 0
        return session(id) { session in
            if limit == 0 {
                let head = ClientAnswer(200, nil)
                let list = MessageList(session: session, surroundings)
                // What waits is read first: it may be delivered meanwhile, and must be told once.
                return inbox(id) { waiting in
                    all(list, session, Place(cursor: nil, size: Self.page, waiting: waiting, isFirst: true)) { piece in
                        .begin(head) { .write(Array("[".utf8) + piece.bytes, piece.next) }
                    }
                }
            }
            guard let before = request["before"] else {
                return inbox(id) { waiting in newest(limit, session, request, cursor: nil, waiting, older: []) }
            }
            return newest(limit, session, request, cursor: before, [], older: [])
        }
    }

    /// A piece of a long list, and what comes behind it.
    struct ListPiece: Sendable {
        let bytes: [UInt8]
        let next: @Sendable () -> BridgeStep
    }

    /// A place in a list, how many messages are asked for there, what waits behind all, and whether none was told before.
    private struct Place {
        let cursor: String?
        let size: Int
        let waiting: [JSON]
        let isFirst: Bool
    }

    /// Every message, oldest first: a page is asked for when the one before it has been written.
    private func all(
        _ list: MessageList, _ session: Session, _ place: Place,
        _ told: @escaping @Sendable (ListPiece) -> BridgeStep
    ) -> BridgeStep {
        pages(session.id, order: "asc", limit: place.size, cursor: place.cursor) { asked, reply in
            guard reply.isGood, let data = reply.data?.array else {
                return place.cursor == nil ? .answer(Refusals.of(reply)) : .cut
            }
            var list = list
            let messages = data.flatMap { list.add($0) }
            let waiting = Self.waiting(place.waiting, without: data)
            let rest = list
            let written = Self.written(messages, isFirst: place.isFirst)
            let isEmpty = place.isFirst && messages.isEmpty
            guard data.count == asked, let next = reply.json?["cursor"]?["next"]?.text else {
                return told(ListPiece(bytes: written) { end(rest, waiting, isFirst: isEmpty) })
            }
            return told(
                ListPiece(bytes: written) {
                    let behind = Place(cursor: next, size: asked, waiting: waiting, isFirst: isEmpty)
                    return all(rest, session, behind) { .write($0.bytes, $0.next) }
                })
        }
    }

    private func end(_ list: MessageList, _ waiting: [JSON], isFirst: Bool) -> BridgeStep {
        var list = list
        let messages = list.finish(inbox: waiting)
        return .write(Self.written(messages, isFirst: isFirst) + Array("]".utf8)) { .end }
    }

    /// What waits, without what was delivered meanwhile.
    static func waiting(_ waiting: [JSON], without delivered: [JSON]) -> [JSON] {
        guard !waiting.isEmpty else { return [] }
        let ids = Set(delivered.compactMap { $0["id"]?.text })
        return waiting.filter { $0["id"]?.text.map { !ids.contains($0) } ?? false }
    }

    private static func written(_ messages: [Message], isFirst: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, message) in messages.enumerated() {
            if !isFirst || index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(json: message.json)
        }
        return bytes
    }

    /// The newest messages before a place: OpenCode 2's pages until there are enough of OpenCode 1's. `older` has those
    /// that were read, newest first.
    private func newest(
        _ limit: Int, _ session: Session, _ request: ClientRequest, cursor: String?, _ waiting: [JSON], older: [JSON]
    ) -> BridgeStep {
        pages(session.id, order: "desc", limit: min(max(limit * 2, 20), Self.page), cursor: cursor) { _, reply in
            guard reply.isGood else { return .answer(Refusals.of(reply)) }
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let read = older + data
            let isAll = data.isEmpty || reply.json?["cursor"]?["next"]?.text == nil
            let picked = Picked(read, limit, session, surroundings, waiting, isAll: isAll)
            if let picked { return .answer(answer(picked, session, request, limit)) }
            return newest(
                limit, session, request, cursor: reply.json?["cursor"]?["next"]?.text, waiting, older: read)
        }
    }

    private func answer(_ picked: Picked, _ session: Session, _ request: ClientRequest, _ limit: Int) -> ClientAnswer {
        var fields: [String: String] = [:]
        if let before = picked.before {
            let cursor = Cursors.after(before, order: "desc")
            fields["X-Next-Cursor"] = cursor
            // From the root of OpenCode's routes: whoever has the client's request knows where that is to it.
            fields["Link"] = "</session/\(session.id)/message?limit=\(limit)&before=\(cursor)>; rel=\"next\""
        }
        return ClientAnswer(200, fields: fields, .array(picked.messages.map(\.json)))
    }

    /// One message. Its prompt, or what answers it, stands near it.
    private func one(_ message: String, _ session: Session) -> BridgeStep {
        let id = MessageIDs.openCode2(message)
        return ask(Call("GET", ["api", "session", session.id, "message", id])) { reply in
            guard let found = reply.data else { return .answer(Refusals.strange) }
            let isPrompt = found["type"]?.text == "user"
            let isOpen = found["type"]?.text == "assistant" && found["time"]?["completed"] == nil
            let order = isPrompt ? "asc" : "desc"
            let near = page(session.id, order: order, limit: 20, cursor: Cursors.after(id, order: order))
            return ask(near) { reply in
                let others = reply.data?.array ?? []
                let all = isPrompt ? [found] + others : others.reversed() + [found]
                guard isOpen else { return one(message, of: all, session) }
                // What follows tells whether it is still being written.
                let behind = page(session.id, order: "asc", limit: 1, cursor: Cursors.after(id, order: "asc"))
                return ask(behind) { one(message, of: all + ($0.data?.array ?? []), session) }
            }
        }
    }

    private func one(_ message: String, of all: [JSON], _ session: Session) -> BridgeStep {
        var list = MessageList(session: session, surroundings)
        let messages = all.flatMap { list.add($0) } + list.finish()
        guard let told = messages.first(where: { $0.info.id == message }) else {
            return .answer(Refusals.notFound("Message not found: \(message)"))
        }
        return .answer(ClientAnswer(told.json))
    }

    /// Waits until a session has nothing to do.
    func awaitTurn(
        _ session: Session, isOwed: Bool = false, _ next: @escaping @Sendable () -> BridgeStep
    ) -> BridgeStep {
        let wait = Call("POST", ["api", "experimental", "session", session.id, "wait"], isLong: true, isOwed: isOwed)
        return ask(wait) { _ in next() }
    }

    /// The newest answer to what was sent.
    func lastAnswer(_ session: Session, after sent: String?) -> BridgeStep {
        ask(page(session.id, order: "desc", limit: 20, cursor: nil)) { reply in
            let data = reply.data?.array ?? []
            var list = MessageList(session: session, surroundings, parentID: sent)
            let messages = data.reversed().flatMap { list.add($0) } + list.finish()
            // What was said before it answers nothing; where it is not among these, they are all behind it.
            let prompt = sent.map(MessageIDs.openCode1)
            let place = messages.firstIndex { prompt != nil && $0.info.id == prompt } ?? messages.startIndex
            let answer = messages[place...].last { message in
                if case .assistant = message.info { true } else { false }
            }
            guard let answer else { return .answer(Refusals.noAnswer) }
            return .answer(ClientAnswer(answer.json))
        }
    }
}

/// The newest messages of a list, as many as were asked for.
struct Picked {
    let messages: [Message]
    /// OpenCode 2's id of the oldest of them, where there are older ones.
    let before: String?

    /// `read` has OpenCode 2's messages, newest first; nil where there are not enough of them yet, or the oldest answer's
    /// prompt is still missing.
    init?(
        _ read: [JSON], _ limit: Int, _ session: Session, _ surroundings: InstanceDefaults, _ waiting: [JSON],
        isAll: Bool
    ) {
        var list = MessageList(session: session, surroundings)
        var all: [Message] = []
        for json in read.reversed() { all += list.add(json) }
        all += list.finish(inbox: Bridge.waiting(waiting, without: read))
        // The first answers of what was read may lack their prompt; they serve only where nothing older is there.
        let firstPrompt = all.firstIndex { if case .user = $0.info { true } else { false } } ?? all.count
        guard isAll || all.count - firstPrompt >= limit else { return nil }
        var start = max(all.count - limit, 0)
        // What is one message in OpenCode 2 stays together: its place begins the next page.
        if start > 0, let id = all[start].info.id, let other = all[start - 1].info.id,
            MessageIDs.openCode2(id) == MessageIDs.openCode2(other)
        {
            start += limit > 1 ? 1 : -1
        }
        messages = Array(all[start...])
        let isCut = start > 0
        before = isCut || !isAll ? messages.first?.info.id.map(MessageIDs.openCode2) : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes of messages and prompts of a session.
    static let turns: [BridgeRoute] = [
        BridgeRoute(.get, "/session/{sessionID}/message") { bridge, path, request in
            bridge.messages(path.session, request)
        },
        BridgeRoute(.get, "/session/{sessionID}/message/{messageID}") { bridge, path, _ in
            let message = path["messageID"]
            return bridge.session(path.session) { bridge.one(message, $0) }
        },
        BridgeRoute(.post, "/session/{sessionID}/message") { bridge, path, request in
            bridge.prompt(path.session, for: request, isAwaited: true) { session, sent in
                bridge.awaitTurn(session) { .awaitStreams { bridge.lastAnswer(session, after: sent) } }
            }
        },
        BridgeRoute(.post, "/session/{sessionID}/prompt_async") { bridge, path, request in
            bridge.prompt(path.session, for: request) { _, _ in .answer(ClientAnswer(204, nil)) }
        },
        BridgeRoute(.post, "/session/{sessionID}/command") { bridge, path, request in
            bridge.command(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/shell") { bridge, path, request in
            bridge.shell(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/summarize") { bridge, path, request in
            bridge.summarize(path.session, request)
        },
    ]

    /// The maximum number of OpenCode 2's messages in one page.
    private static let page = 100
    /// The approximate maximum size of a page in bytes. A larger page is requested again with fewer messages.
    private static let longestPage = 1024 * 1024

    /// Requests a page of messages. A page that is too large is requested again with fewer messages.
    func pages(
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
        // A cursor also contains the order.
        let query: [(String, String?)] = [
            ("limit", String(limit)), ("order", cursor == nil ? order : nil), ("cursor", cursor),
        ]
        return Call("GET", ["api", "session", id, "message"], query: query, longestReply: longest)
    }

    private func inbox(_ id: String, _ next: @escaping @Sendable ([JSON]) -> BridgeStep) -> BridgeStep {
        send(Call("GET", ["api", "session", id, "inbox"])) { next($0.data?.array ?? []) }
    }

    private func messages(_ id: String, _ request: ClientRequest) -> BridgeStep {
        if let wrong = request.wrong([("limit", .count(from: 0))]) { return .answer(wrong) }
        let limit = request["limit"].flatMap { Int($0) } ?? 0
        return session(id) { session in
            if limit == 0 {
                let head = ClientAnswer(200, nil)
                let list = MessageList(session: session, defaults)
                // Read the inbox first: a prompt may be delivered in the meantime, and must be listed only once.
                return inbox(id) { waiting in
                    all(
                        list, of: session,
                        from: ListPosition(cursor: nil, size: Self.page, waiting: waiting, isFirst: true)
                    ) {
                        batch in
                        .begin(head) { .write(Array("[".utf8) + batch.bytes, batch.next) }
                    }
                }
            }
            guard let before = request["before"] else {
                return inbox(id) { waiting in
                    newest(limit, of: session, for: request, cursor: nil, waiting: waiting, older: [])
                }
            }
            return newest(limit, of: session, for: request, cursor: before, waiting: [], older: [])
        }
    }

    /// A batch of a long list, with the step that follows it.
    struct ListBatch: Sendable {
        let bytes: [UInt8]
        let next: @Sendable () -> BridgeStep
    }

    /// A position in a list: the size of the next page, the inbox that follows all pages, and whether the list is still
    /// empty.
    private struct ListPosition {
        let cursor: String?
        let size: Int
        let waiting: [JSON]
        let isFirst: Bool
    }

    /// Writes all messages, oldest first. Each page is requested after the previous one has been written.
    private func all(
        _ list: MessageList, of session: Session, from position: ListPosition,
        then write: @escaping @Sendable (ListBatch) -> BridgeStep
    ) -> BridgeStep {
        pages(session.id, order: "asc", limit: position.size, cursor: position.cursor) { requested, reply in
            guard reply.isGood, let data = reply.data?.array else {
                return position.cursor == nil ? .answer(Refusals.of(reply)) : .cut
            }
            var list = list
            let messages = data.flatMap { list.add($0) }
            let waiting = Self.waiting(position.waiting, without: data)
            let remaining = list
            let written = Self.written(messages, isFirst: position.isFirst)
            let isEmpty = position.isFirst && messages.isEmpty
            guard data.count == requested, let next = reply.json?["cursor"]?["next"]?.text else {
                return write(ListBatch(bytes: written) { finish(remaining, waiting, isFirst: isEmpty) })
            }
            return write(
                ListBatch(bytes: written) {
                    let following = ListPosition(cursor: next, size: requested, waiting: waiting, isFirst: isEmpty)
                    return all(remaining, of: session, from: following) { .write($0.bytes, $0.next) }
                })
        }
    }

    private func finish(_ list: MessageList, _ waiting: [JSON], isFirst: Bool) -> BridgeStep {
        var list = list
        let messages = list.finish(inbox: waiting)
        return .write(Self.written(messages, isFirst: isFirst) + Array("]".utf8)) { .end }
    }

    /// Returns the inbox without the prompts that were delivered in the meantime.
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

    /// Returns the newest messages before a position. Reads OpenCode 2's pages until they contain enough of OpenCode
    /// 1's messages.
    ///
    /// - Parameter older: The messages that were read so far, newest first.
    private func newest(
        _ limit: Int, of session: Session, for request: ClientRequest, cursor: String?, waiting: [JSON], older: [JSON]
    ) -> BridgeStep {
        pages(session.id, order: "desc", limit: min(max(limit * 2, 20), Self.page), cursor: cursor) { _, reply in
            guard reply.isGood else { return .answer(Refusals.of(reply)) }
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let read = older + data
            let isAll = data.isEmpty || reply.json?["cursor"]?["next"]?.text == nil
            let picked = Picked(
                read, limit: limit, session: session, defaults: defaults, waiting: waiting, isAll: isAll)
            if let picked { return .answer(answer(picked, of: session, for: request, limit: limit)) }
            return newest(
                limit, of: session, for: request, cursor: reply.json?["cursor"]?["next"]?.text, waiting: waiting,
                older: read)
        }
    }

    private func answer(_ picked: Picked, of session: Session, for request: ClientRequest, limit: Int) -> ClientAnswer {
        var fields: [String: String] = [:]
        if let before = picked.before {
            let cursor = Cursors.after(before, order: "desc")
            fields["X-Next-Cursor"] = cursor
            // The URL is relative to the root of OpenCode's routes. Only the caller knows the path of that root.
            fields["Link"] = "</session/\(session.id)/message?limit=\(limit)&before=\(cursor)>; rel=\"next\""
        }
        return ClientAnswer(200, fields: fields, .array(picked.messages.map(\.json)))
    }

    /// Returns one message. The message before or after it contains its prompt or its answer.
    private func one(_ message: String, _ session: Session) -> BridgeStep {
        let id = MessageIDs.openCode2(message)
        return send(Call("GET", ["api", "session", session.id, "message", id])) { reply in
            guard let found = reply.data else { return .answer(Refusals.strange) }
            let isPrompt = found["type"]?.text == "user"
            let isOpen = found["type"]?.text == "assistant" && found["time"]?["completed"] == nil
            let order = isPrompt ? "asc" : "desc"
            let near = page(session.id, order: order, limit: 20, cursor: Cursors.after(id, order: order))
            return send(near) { reply in
                let others = reply.data?.array ?? []
                let all = isPrompt ? [found] + others : others.reversed() + [found]
                guard isOpen else { return one(message, of: all, session) }
                // The next message shows whether this message is still being written.
                let following = page(session.id, order: "asc", limit: 1, cursor: Cursors.after(id, order: "asc"))
                return send(following) { one(message, of: all + ($0.data?.array ?? []), session) }
            }
        }
    }

    private func one(_ message: String, of all: [JSON], _ session: Session) -> BridgeStep {
        var list = MessageList(session: session, defaults)
        let messages = all.flatMap { list.add($0) } + list.finish()
        guard let found = messages.first(where: { $0.info.id == message }) else {
            return .answer(Refusals.notFound("Message not found: \(message)"))
        }
        return .answer(ClientAnswer(found.json))
    }

    /// Waits until a session is idle.
    func awaitTurn(
        _ session: Session, isOwed: Bool = false, _ next: @escaping @Sendable () -> BridgeStep
    ) -> BridgeStep {
        let wait = Call("POST", ["api", "experimental", "session", session.id, "wait"], isLong: true, isOwed: isOwed)
        return send(wait) { _ in next() }
    }

    /// Responds with the newest answer to a prompt.
    func lastAnswer(
        _ session: Session, after sent: String?,
        _ next: @escaping @Sendable (Message) -> BridgeStep = { .answer(ClientAnswer($0.json)) }
    ) -> BridgeStep {
        send(page(session.id, order: "desc", limit: 20, cursor: nil)) { reply in
            let data = reply.data?.array ?? []
            var list = MessageList(session: session, defaults, parentID: sent)
            let messages = data.reversed().flatMap { list.add($0) } + list.finish()
            // Messages before the prompt do not answer it. If the page does not contain the prompt, all its messages
            // follow it.
            let prompt = sent.map(MessageIDs.openCode1)
            let start = messages.firstIndex { prompt != nil && $0.info.id == prompt } ?? messages.startIndex
            let answer = messages[start...].last { message in
                if case .assistant = message.info { true } else { false }
            }
            guard let answer else { return .answer(Refusals.noAnswer) }
            return next(answer)
        }
    }
}

/// The newest messages of a list, up to the requested number.
struct Picked {
    let messages: [Message]
    /// OpenCode 2's id of the oldest selected message, if there are older messages.
    let before: String?

    /// Selects messages. Returns nil if there are too few of them yet, or if the prompt of the oldest answer is still
    /// missing.
    ///
    /// - Parameter read: OpenCode 2's messages that were read so far, newest first.
    init?(
        _ read: [JSON], limit: Int, session: Session, defaults: InstanceDefaults, waiting: [JSON],
        isAll: Bool
    ) {
        var list = MessageList(session: session, defaults)
        var all: [Message] = []
        for json in read.reversed() { all += list.add(json) }
        all += list.finish(inbox: Bridge.waiting(waiting, without: read))
        // The oldest answers that were read may lack their prompt. They are used only if no older messages exist.
        let firstPrompt = all.firstIndex { if case .user = $0.info { true } else { false } } ?? all.count
        guard isAll || all.count - firstPrompt >= limit else { return nil }
        var start = max(all.count - limit, 0)
        // Messages that are one message in OpenCode 2 stay together, because the next page begins at the position of
        // that message.
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

// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes for a session's messages and prompts.
    static let turns: [BridgeRoute] = [
        BridgeRoute(
            .get, "/session/{sessionID}/message",
            streaming: { bridge, path, request in
                try await bridge.messages(path.session, request)
            }),
        BridgeRoute(.get, "/session/{sessionID}/message/{messageID}") { bridge, path, _ in
            try await bridge.one(path["messageID"], bridge.session(path.session))
        },
        BridgeRoute(.post, "/session/{sessionID}/message") { bridge, path, request in
            let (session, prompt) = try await bridge.prompt(path.session, for: request, isAwaited: true)
            try await bridge.awaitTurn(session)
            try await bridge.transport.awaitStreams()
            return ClientAnswer(try await bridge.lastAnswer(session, after: prompt).json)
        },
        BridgeRoute(.post, "/session/{sessionID}/prompt_async") { bridge, path, request in
            _ = try await bridge.prompt(path.session, for: request)
            return ClientAnswer(204, nil)
        },
        BridgeRoute(.post, "/session/{sessionID}/command") { bridge, path, request in
            try await bridge.command(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/shell") { bridge, path, request in
            try await bridge.shell(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/summarize") { bridge, path, request in
            try await bridge.summarize(path.session, request)
        },
    ]

    /// The maximum number of messages in a page from OpenCode 2.
    private static let page = 100
    /// The approximate maximum size of a page in bytes. If a page is larger, the bridge requests the page again with
    /// fewer messages.
    private static let longestPage = 1024 * 1024

    /// Requests a page of messages. If the page is too long, requests the page again with fewer messages.
    ///
    /// - Returns: The reply with any status, and the number of messages in the last request.
    func page(
        _ id: String, order: String, limit: Int, cursor: String?
    ) async throws(BridgeError) -> (limit: Int, reply: Reply) {
        var limit = limit
        while true {
            let longest = limit > 1 ? Self.longestPage : Call.longestReply
            let reply = try await send(
                Self.pageCall(id, order: order, limit: limit, cursor: cursor, longest: longest))
            guard reply.isCut, limit > 1 else { return (limit, reply) }
            limit = max(limit / 5, 1)
        }
    }

    private static func pageCall(
        _ id: String, order: String, limit: Int, cursor: String?, longest: Int = Call.longestReply
    ) -> Call {
        // A cursor already contains the order, so a request with a cursor omits it.
        let query: [(String, String?)] = [
            ("limit", String(limit)), ("order", cursor == nil ? order : nil), ("cursor", cursor),
        ]
        return Call("GET", ["api", "session", id, "message"], query: query, longestReply: longest)
    }

    private func inbox(_ id: String) async throws(BridgeError) -> [JSON] {
        try await fetch(Call("GET", ["api", "session", id, "inbox"])).data?.array ?? []
    }

    private func messages(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> BridgeResponse {
        if let wrong = request.wrong([("limit", .count(from: 0))]) { return .answer(wrong) }
        let limit = request["limit"].flatMap { Int($0) } ?? 0
        let session = try await session(id)
        // Read the inbox before the messages, so that no prompt is missing. A prompt that is delivered between these
        // two requests appears in both lists. `waiting(_:without:)` removes such a prompt from the inbox.
        if limit == 0 { return try await all(of: session, waiting: inbox(id)) }
        let before = request["before"]
        let waiting = before == nil ? try await inbox(id) : []
        return .answer(try await newest(limit, of: session, before: before, waiting: waiting))
    }

    /// Writes all messages, oldest first. Requests each page after the previous page has been written. While the client
    /// reads, only the bytes of the current page are in memory.
    ///
    /// - Parameter waiting: The prompts of the inbox, which follow the last page.
    private func all(of session: Session, waiting: [JSON]) async throws(BridgeError) -> BridgeResponse {
        var list = LongList(messages: MessageList(session: session, defaults), waiting: waiting, size: Self.page)
        repeat {
            let isFirst = list.cursor == nil
            let bytes: [UInt8]
            do {
                bytes = try await nextPage(of: session.id, in: &list)
            } catch .answer(let answer) {
                return isFirst ? .answer(answer) : .truncated
            }
            if isFirst { transport.begin(ClientAnswer(200, nil)) }
            try await transport.write(bytes)
        } while list.cursor != nil
        let last = list.messages.finish(inbox: list.waiting)
        try await transport.write(Self.written(last, isFirst: list.isEmpty) + Array("]".utf8))
        return .completed
    }

    /// The state of a list that is written page by page.
    private struct LongList {
        var messages: MessageList
        /// The prompts of the inbox that no page has contained so far.
        var waiting: [JSON]
        /// The number of messages in the next request.
        var size: Int
        /// The cursor of the next page; nil before the first page and after the last page.
        var cursor: String?
        /// Whether no message has been written so far.
        var isEmpty = true
    }

    /// Requests the next page, and returns its messages as part of a JSON array.
    private func nextPage(of id: String, in list: inout LongList) async throws(BridgeError) -> [UInt8] {
        let page = try await page(id, order: "asc", limit: list.size, cursor: list.cursor)
        let json = page.reply.isGood ? page.reply.json : nil
        guard let data = json?["data"]?.array else { throw .answer(Refusals.of(page.reply)) }
        let messages = data.flatMap { list.messages.add($0) }
        list.waiting = Self.waiting(list.waiting, without: data)
        let opening = list.cursor == nil ? Array("[".utf8) : []
        let bytes = opening + Self.written(messages, isFirst: list.isEmpty)
        list.isEmpty = list.isEmpty && messages.isEmpty
        list.size = page.limit
        list.cursor = data.count == page.limit ? json?["cursor"]?["next"]?.text : nil
        return bytes
    }

    /// Returns the inbox without the prompts that were delivered after the inbox was read.
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

    /// Responds with the newest messages before a position. Requests pages from OpenCode 2 until their translation
    /// contains enough messages.
    private func newest(
        _ limit: Int, of session: Session, before: String?, waiting: [JSON]
    ) async throws(BridgeError) -> ClientAnswer {
        let size = min(max(limit * 2, 20), Self.page)
        var cursor = before
        // OpenCode 2's messages, newest first.
        var messages: [JSON] = []
        while true {
            let reply = try await page(session.id, order: "desc", limit: size, cursor: cursor).reply
            guard reply.isGood else { return Refusals.of(reply) }
            guard let data = reply.data?.array else { return Refusals.strange }
            messages += data
            cursor = reply.json?["cursor"]?["next"]?.text
            let picked = Picked(
                messages, limit: limit, session: session, defaults: defaults, waiting: waiting,
                isAll: data.isEmpty || cursor == nil)
            if let picked { return answer(picked, of: session, limit: limit) }
        }
    }

    private func answer(_ picked: Picked, of session: Session, limit: Int) -> ClientAnswer {
        var fields: [String: String] = [:]
        if let before = picked.before {
            let cursor = Cursors.after(before, order: "desc")
            fields["X-Next-Cursor"] = cursor
            // Use a URL relative to the root of OpenCode's routes. Only the caller knows the path of that root.
            fields["Link"] = "</session/\(session.id)/message?limit=\(limit)&before=\(cursor)>; rel=\"next\""
        }
        return ClientAnswer(200, fields: fields, .array(picked.messages.map(\.json)))
    }

    /// Responds with one message. Also requests the neighbouring messages from OpenCode 2, because they may contain the
    /// message's prompt or answer.
    private func one(_ message: String, _ session: Session) async throws(BridgeError) -> ClientAnswer {
        let id = MessageIDs.openCode2(message)
        guard let found = try await fetch(Call("GET", ["api", "session", session.id, "message", id])).data else {
            return Refusals.strange
        }
        let isPrompt = found["type"]?.text == "user"
        let order = isPrompt ? "asc" : "desc"
        let near = Self.pageCall(session.id, order: order, limit: 20, cursor: Cursors.after(id, order: order))
        let others = try await fetch(near).data?.array ?? []
        var all = isPrompt ? [found] + others : others.reversed() + [found]
        if found["type"]?.text == "assistant", found["time"]?["completed"] == nil {
            // Also request the next message, which shows whether the requested message is still being written.
            let next = Self.pageCall(session.id, order: "asc", limit: 1, cursor: Cursors.after(id, order: "asc"))
            all += try await fetch(next).data?.array ?? []
        }
        var list = MessageList(session: session, defaults)
        let messages = all.flatMap { list.add($0) } + list.finish()
        guard let translated = messages.first(where: { $0.info.id == message }) else {
            return Refusals.notFound("Message not found: \(message)")
        }
        return ClientAnswer(translated.json)
    }

    /// Waits until a session is idle.
    ///
    /// - Parameter isOwed: The value of ``Call/isOwed`` for the call.
    func awaitTurn(_ session: Session, isOwed: Bool = false) async throws(BridgeError) {
        _ = try await fetch(
            Call("POST", ["api", "experimental", "session", session.id, "wait"], isLong: true, isOwed: isOwed))
    }

    /// Returns the newest answer to a prompt, or the session's newest answer if `prompt` is nil.
    func lastAnswer(_ session: Session, after prompt: String?) async throws(BridgeError) -> Message {
        let reply = try await fetch(Self.pageCall(session.id, order: "desc", limit: 20, cursor: nil))
        let data = reply.data?.array ?? []
        var list = MessageList(session: session, defaults, parentID: prompt)
        let messages = data.reversed().flatMap { list.add($0) } + list.finish()
        // Skip the messages before the prompt. If the page does not contain the prompt, all messages of the page are
        // newer than the prompt.
        let promptID = prompt.map(MessageIDs.openCode1)
        let start = messages.firstIndex { promptID != nil && $0.info.id == promptID } ?? messages.startIndex
        let answer = messages[start...].last { message in
            if case .assistant = message.info { true } else { false }
        }
        guard let answer else { throw .answer(Refusals.noAnswer) }
        return answer
    }
}

/// The newest messages of a list, up to the requested number.
struct Picked {
    let messages: [Message]
    /// OpenCode 2's id of the oldest selected message; nil if there are no older messages.
    let before: String?

    /// Selects the newest messages. Returns nil if too few messages have been read, or if the prompt of the oldest
    /// answer is still missing.
    ///
    /// - Parameter read: The messages that have been read from OpenCode 2 so far, newest first.
    init?(
        _ read: [JSON], limit: Int, session: Session, defaults: InstanceDefaults, waiting: [JSON],
        isAll: Bool
    ) {
        var list = MessageList(session: session, defaults)
        var all: [Message] = []
        for json in read.reversed() { all += list.add(json) }
        all += list.finish(inbox: Bridge.waiting(waiting, without: read))
        // The prompt of the oldest answers may not have been read. Use answers without their prompt only if no older
        // messages exist.
        let firstPrompt = all.firstIndex { if case .user = $0.info { true } else { false } } ?? all.count
        guard isAll || all.count - firstPrompt >= limit else { return nil }
        var start = max(all.count - limit, 0)
        // The next page begins at a message of OpenCode 2. Therefore, do not separate messages that were translated
        // from the same message.
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

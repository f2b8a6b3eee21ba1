// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// The server side of the chat protocol for one client. The session processes the client's messages one after the
/// other, and sends the replies through the transport. The session belongs to the transport's actor.
package final class ChatSession<Transport: ConversationTransport> {
    /// The message that is being processed.
    struct Current {
        /// The kind of the message, with the progress that other messages and events need.
        enum Kind {
            /// A message that only reads, or that creates an empty conversation.
            case query
            /// A deletion. With `isReported`, the client already knows of the deletion, because the event arrived before
            /// the response.
            case deletion(ConversationID, isReported: Bool)
            /// A message to a conversation.
            case prompt(ConversationID)
        }

        let number: Int
        var kind: Kind
        var task: Task<Void, Never>?
    }

    /// The maximum number of messages that wait while another message is processed, and of aborts that have not ended.
    private static var queueLimit: Int { 64 }

    /// The number of the chat in its project.
    package let number: Int
    let initiator: Transport.Initiator
    /// The sessions whose events the client receives.
    var watched: Set<String> = []
    /// The messages that wait for the current message.
    var queue: [ClientMessage] = []
    var current: Current?
    /// Whether the client has cancelled the current message.
    var isCancelled = false
    /// The number of aborts that have not ended.
    private var pendingAborts = 0
    /// Whether the client has disconnected, so that nothing more is sent to it.
    private var hasEnded = false
    /// Whether the client's key is revoked, so that none of its messages is processed.
    private var isRevoked = false
    private var count = 0

    /// Creates the session of a client.
    ///
    /// - Parameters:
    ///   - number: The number of the chat in its project.
    ///   - initiator: The origin of the requests to OpenCode.
    package init(number: Int, for initiator: Transport.Initiator) {
        self.number = number
        self.initiator = initiator
    }

    // MARK: Events

    /// Processes an event. Returns whether the client receives the event
    /// (``ConversationState/chatTexts(_:)``).
    package func receive(_ event: ConversationEvent) -> Bool {
        guard watched.contains(event.session) else { return false }
        if case .deleted = event.content {
            watched.remove(event.session)
            if case .deletion(event.conversation, _) = current?.kind {
                current?.kind = .deletion(event.conversation, isReported: true)
            }
        }
        return true
    }

    /// Handles a disconnected client. Messages of the client that change something are still processed in order.
    /// Queries of the client end.
    package func clientDisconnected() {
        hasEnded = true
        queue.removeAll { !$0.outlastsClient }
        if case .query = current?.kind { current?.task?.cancel() }
    }

    /// Handles a revoked key. Requests that were sent to OpenCode remain, but no further message is sent to OpenCode.
    package func revoke() {
        clientDisconnected()
        isRevoked = true
        queue = []
        current?.task?.cancel()
    }

    // MARK: Messages

    /// Receives a text message of the client. Processes the message now, or after the previous messages.
    package func receive(_ text: [UInt8], over transport: isolated Transport) {
        guard !isRevoked else { return }
        switch ClientMessage.parse(text) {
        case .failure(let problem): transport.send([ServerMessage.error(problem)], to: number)
        case .success(.ping): transport.send([ServerMessage.pong()], to: number)
        case .success(.cancel(let id)): cancel(id, over: transport)
        case .success(let message):
            guard !hasEnded || message.outlastsClient else { return }
            guard queue.count < Self.queueLimit else {
                let refusal = ConversationError(
                    .failed,
                    "Too many messages are waiting in this chat. Wait for an answer before you send the next message.")
                return transport.send([ServerMessage.error(ClientMessage.Problem(refusal))], to: number)
            }
            queue.append(message)
            processNext(over: transport)
        }
    }

    /// Starts the task that processes the next message. A message waits until the previous message is processed and
    /// aborted work has ended. Without the second wait, the end of the aborted work could be mistaken for the end of
    /// the new message's answer.
    private func processNext(over transport: isolated Transport) {
        guard current == nil, pendingAborts == 0, !queue.isEmpty else { return }
        let message = queue.removeFirst()
        count += 1
        let number = count
        current = Current(number: number, kind: Self.kind(of: message))
        isCancelled = false
        let task = Task.immediate(executorPreference: transport.executor) {
            await self.process(message, over: transport)
            self.current = nil
            self.processNext(over: transport)
        }
        // The task may already have ended, so check whether its message is still the current one.
        if current?.number == number { current?.task = task }
    }

    private static func kind(of message: ClientMessage) -> Current.Kind {
        switch message {
        case .user(let id, _): .prompt(id)
        case .delete(let id): .deletion(id, isReported: false)
        case .new, .load, .list, .ping, .cancel: .query
        }
    }

    // MARK: Cancelling

    private func cancel(_ id: ConversationID?, over transport: isolated Transport) {
        // Discard the messages that have not been sent yet.
        var discarded: [[UInt8]] = []
        queue.removeAll { message in
            guard case .user(let other, let text) = message, id == nil || id == other else { return false }
            discarded.append(ServerMessage.done(other, id: Entry.answerID(to: text, in: other.text)))
            return true
        }
        transport.send(discarded, to: number)
        if case .prompt(let other) = current?.kind, id == nil || id == other { isCancelled = true }
        let sessions = id.map { id in transport.state.session(id).map { [$0] } ?? [] } ?? watched.sorted()
        for session in sessions where transport.state.isBusy(session) && pendingAborts < Self.queueLimit {
            startAbort(of: session, over: transport)
        }
    }

    /// Starts the task that aborts the running work of a session.
    func startAbort(of session: String, over transport: isolated Transport) {
        pendingAborts += 1
        transport.state.abort(session)
        // Begin the check before the abort, so that the check cannot end a prompt that is sent after the abort.
        let check = transport.state.check(session)
        _ = Task.immediate(executorPreference: transport.executor) {
            do throws(ConversationFailure) {
                try await transport.abort(session, for: self.initiator)
                transport.commitAndPublish(try await transport.finish(check, for: self.initiator))
            } catch {
                // If the abort fails, the work continues, and its events report its end.
            }
            self.pendingAborts -= 1
            self.processNext(over: transport)
        }
    }
}

/// The messages to a chat's client that need no project.
package enum ChatReply {
    /// Returns the first message of a chat.
    ///
    /// - Parameters:
    ///   - catalogue: The known catalogue of the project's OpenCode; nil if it was not requested yet.
    ///   - version: The gateway's version.
    package static func status(_ catalogue: Catalogue?, version: String) -> [UInt8] {
        ServerMessage.status(catalogue, version: version)
    }

    /// Returns the message that reports an error.
    package static func error(_ refusal: ConversationError) -> [UInt8] {
        ServerMessage.error(ClientMessage.Problem(refusal))
    }

    /// Returns the answer to a message of a client that has no project.
    ///
    /// - Parameter refusal: The reason why the client has no project.
    package static func answer(to text: [UInt8], refusal: ConversationError) -> [UInt8] {
        switch ClientMessage.parse(text) {
        case .failure(let problem): ServerMessage.error(problem)
        case .success(.ping): ServerMessage.pong()
        case .success: error(refusal)
        }
    }
}

extension ConversationState {
    /// Returns the messages that report an event to chat clients. All clients receive the same messages.
    package func chatTexts(_ event: ConversationEvent) -> [[UInt8]] {
        switch event.content {
        case .answer(let id, let turnEvent):
            ServerMessage.answer(event.conversation, id: id, turnEvent, servers: catalogue?.servers ?? [])
        case .renamed: []
        case .deleted: [ServerMessage.deleted(event.conversation)]
        }
    }
}

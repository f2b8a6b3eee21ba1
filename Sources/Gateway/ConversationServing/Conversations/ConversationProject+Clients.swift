// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import GatewayCore
import HTTPServer
import HTTPTypes
import Proxying
import WebSockets

/// The clients of the project's conversations: chats, requests and event streams.
extension ConversationProject {
    /// A chat's client.
    struct Chat {
        let session: ChatSession<ConversationProject>
        let line: ChatLine
    }

    /// The client of an answer's event stream.
    struct AnswerClient {
        var stream: AnswerStream
        let chunks: AsyncStream<[UInt8]>.Continuation
    }

    // MARK: Chats

    /// Opens a chat.
    func open(_ number: Int, on line: ChatLine, for initiator: RequestInitiator) {
        chats[number] = Chat(session: ChatSession(number: number, for: initiator), line: line)
        send([ChatReply.status(state.catalogue, version: context.setUp.version)], to: number)
    }

    /// Receives a message of a chat's client. The session processes the message even if the client disconnects before
    /// the project has started.
    func receive(_ text: [UInt8], from chat: Int) {
        guard let session = chats[chat]?.session else { return }
        whenReady { [self] in session.receive(text, over: self) }
    }

    /// Records that the key of a chat's client is revoked. The session discards requests that it has not
    /// sent to OpenCode yet.
    func revoke(_ chat: Int) { chats[chat]?.session.revoke() }

    /// Records that a chat's client has disconnected. The tasks that process the client's messages
    /// retain the chat's session.
    func close(_ chat: Int) { chats.removeValue(forKey: chat)?.session.clientDisconnected() }

    func send(_ messages: [[UInt8]], to chat: Int) {
        guard !messages.isEmpty, let line = chats[chat]?.line else { return }
        let frames = messages.map(Frame.text)
        // The content is determined now, and only the sending may be delayed.
        commits.add { line.send(frames) }
    }

    func publish(_ events: [ConversationEvent], except chat: Int?) {
        for event in events {
            let lines = chats.values.filter { $0.session.number != chat && $0.session.receive(event) }.map(\.line)
            if !lines.isEmpty {
                let frames = state.chatTexts(event).map(Frame.text)
                if !frames.isEmpty { commits.add { ChatLine.send(frames, over: lines) } }
            }
            for number in streams.keys.sorted() {
                perform(streams[number]?.stream.receive(event, at: now) ?? [], on: number)
            }
        }
    }

    // MARK: Requests

    /// Returns the response to a request of the conversation protocol.
    func handle(_ request: ConversationRequest, for initiator: RequestInitiator) async -> ControlResponse {
        await awaitStart()
        switch await respond(to: request, for: initiator) {
        case nil: return .error(ControlAnswers.shuttingDownInConversation)
        case .answer(let answer):
            await awaitCommits()
            return .answer(GatewayAnswer(answer))
        case .stream(let stream, let prompt):
            let response = open(stream, sending: prompt, for: initiator)
            await awaitCommits()
            return response
        }
    }

    /// Opens the event stream of an answer, and starts the task that sends the prompt.
    private func open(_ stream: AnswerStream, sending prompt: ClientRequest, for initiator: RequestInitiator)
        -> ControlResponse
    {
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let number = nextNumber()
        streams[number] = AnswerClient(stream: stream, chunks: continuation)
        // The stream also calls the handler if the client disconnects before the first bytes.
        continuation.onTermination = { _ in self.post { $0.streams[number] = nil } }
        _ = Task.immediate(executorPreference: executor) {
            guard let refusal = try? await self.sendPrompt(prompt, of: stream, for: initiator) else { return }
            self.save()
            self.perform(self.streams[number]?.stream.refused(refusal, at: self.now) ?? [], on: number)
        }
        return Self.response(chunks)
    }

    /// Returns the response with the event stream of an answer. If a client closes the stream, the answer continues.
    /// The stream is not paced, because `chunks` would otherwise buffer the bytes for a client that does not read,
    /// without a limit.
    private static func response(_ chunks: AsyncStream<[UInt8]>) -> ControlResponse {
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "text/event-stream")
        head.fields.appendStreamDirectives()
        return .stream(head, isPaced: false) { stream in
            for await chunk in chunks { guard await stream.write(chunk) else { break } }
        }
    }

    /// Sends a comment on a stream that was silent for too long.
    func wakeStream(_ number: Int) { perform(streams[number]?.stream.wake(at: now) ?? [], on: number) }

    private func perform(_ actions: [AnswerStream.Action], on number: Int) {
        guard let chunks = streams[number]?.chunks else { return }
        for action in actions {
            switch action {
            case .write(let bytes): commits.add { chunks.yield(bytes) }
            case .end:
                commits.add { chunks.finish() }
                streams[number] = nil
            }
        }
    }
}

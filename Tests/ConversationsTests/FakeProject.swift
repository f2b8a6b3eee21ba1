// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Locking
import Testing

/// An executor that runs its jobs when a test requests it, on the test's thread.
final class ManualExecutor: SerialExecutor, TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all jobs, including those that they enqueue.
    func run() {
        while true {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { return }
            next.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    // Each harness belongs to one test, which uses it on one thread at a time.
    func checkIsolated() {}
    func isIsolatingCurrentContext() -> Bool? { true }
}

/// A transport with a fake OpenCode and with clients that record the messages they receive.
actor FakeProject: ConversationTransport {
    /// An event stream with the text that its client has received.
    struct Stream: Sendable {
        var stream: AnswerStream
        var text = ""
        var isOver = false
    }

    nonisolated let manualExecutor = ManualExecutor()
    nonisolated var executor: any TaskExecutor { manualExecutor }
    nonisolated var unownedExecutor: UnownedSerialExecutor { manualExecutor.asUnownedSerialExecutor() }

    var server = FakeOpenCode1()
    var state = ConversationState(directory: "/home/vibe/demo", kept: []) {
        didSet { resumeWaits { $0(state) ? true : nil } }
    }
    var now: Int64 = 1_800_000_000_000
    var chats: [Int: ChatSession<FakeProject>] = [:]
    var streams: [Stream] = []
    var holdsRequests = false
    var heldResponses: Set<String> = []
    var holdsWaits = false
    var endsAbortedWork = false
    var isReplaying = false
    /// The task of the last request.
    private(set) var request: Task<Void, Never>?
    /// The session of the last chat whose client has left.
    private(set) weak var lastSession: ChatSession<FakeProject>?
    private var answer: ConversationAnswer?
    private var sent: [Int: [JSON]] = [:]
    private var held: [Int: UnsafeContinuation<Bool, Never>] = [:]
    private var waits: [Int: (isMet: (ConversationState) -> Bool, continuation: UnsafeContinuation<Bool?, Never>)] = [:]
    private var count = 0
    private var seed: UInt64 = 7

    func random() -> UInt64 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1
        return seed >> 33
    }

    // MARK: Clients

    func open(_ chat: Int) {
        chats[chat] = ChatSession(number: chat, for: "client")
        send([ChatReply.status(state.catalogue, version: "1.2.3")], to: chat)
    }

    func receive(_ text: [UInt8], from chat: Int) { chats[chat]?.receive(text, over: self) }

    func leave(_ chat: Int) {
        lastSession = chats[chat]
        chats.removeValue(forKey: chat)?.clientDisconnected()
    }

    func removeSent(_ chat: Int) -> [JSON] {
        defer { sent[chat] = [] }
        return sent[chat] ?? []
    }

    func start(_ request: ConversationRequest) {
        answer = nil
        self.request = Task.immediate(executorPreference: executor) {
            switch await self.respond(to: request, for: "client") {
            case .answer(let answer): self.answer = answer
            case .stream(let stream, let prompt):
                self.streams.append(Stream(stream: stream))
                let index = self.streams.count - 1
                guard let refusal = try? await self.sendPrompt(prompt, of: stream, for: "client") else { return }
                self.write(self.streams[index].stream.refused(refusal, at: self.now), index)
            case nil: return
            }
        }
    }

    func removeAnswer() -> ConversationAnswer? {
        defer { answer = nil }
        return answer
    }

    func start(_ check: ConversationState.Check) {
        _ = Task.immediate(executorPreference: executor) {
            guard let events = try? await self.finish(check, for: "gateway") else {
                Issue.record("the check has failed")
                return
            }
            self.publish(events, except: nil)
        }
    }

    // MARK: ConversationTransport

    func send(_ request: ClientRequest, for initiator: String)
        async throws(ConversationFailure) -> OpenCodeAnswer
    {
        guard !Task.isCancelled else { throw .ended }
        if holdsRequests { try await hold() }
        let answer = server.answer(request)
        // As in the gateway, a request that changes something is not cancelled after it was sent.
        if heldResponses.contains(FakeOpenCode1.name(of: request)) {
            try await hold(isCancellable: request.method == "GET")
        }
        return answer
    }

    /// Suspends the task until ``release()``.
    private func hold(isCancellable: Bool = true) async throws(ConversationFailure) {
        count += 1
        let number = count
        let isReleased = await withTaskCancellationHandler {
            await withUnsafeContinuation { held[number] = $0 }
        } onCancel: {
            if isCancellable { assumeIsolated { $0.held.removeValue(forKey: number)?.resume(returning: false) } }
        }
        guard isReleased else { throw .ended }
    }

    func wait(until isMet: @escaping (ConversationState) -> Bool, atMost limit: Duration)
        async throws(ConversationFailure) -> Bool
    {
        guard !Task.isCancelled else { throw .ended }
        guard holdsWaits else {
            // Either the work ends or the time limit expires immediately.
            if endsAbortedWork { for session in server.sessions { receiveIdle(session.id) } }
            return isMet(state)
        }
        count += 1
        let number = count
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { waits[number] = (isMet, $0) }
        } onCancel: {
            assumeIsolated { $0.waits.removeValue(forKey: number)?.continuation.resume(returning: nil) }
        }
        guard let result else { throw .ended }
        return result
    }

    private func resumeWaits(_ result: ((ConversationState) -> Bool) -> Bool?) {
        for (number, wait) in waits.sorted(by: { $0.key < $1.key }) {
            guard let result = result(wait.isMet) else { continue }
            waits[number] = nil
            wait.continuation.resume(returning: result)
        }
    }

    func expireWaits() { resumeWaits { _ in false } }

    func release() {
        holdsRequests = false
        heldResponses = []
        let resumed = held.sorted { $0.key < $1.key }
        held = [:]
        for (_, continuation) in resumed { continuation.resume(returning: true) }
    }

    var suspendedTasks: Int { held.count + waits.count }

    func commit() {}

    func publish(_ events: [ConversationEvent], except chat: Int?) {
        for event in events {
            for (number, session) in chats.sorted(by: { $0.key < $1.key }) where number != chat {
                if session.receive(event) { send(state.chatTexts(event), to: number) }
            }
            for index in streams.indices { write(streams[index].stream.receive(event, at: now), index) }
        }
    }

    func send(_ messages: [[UInt8]], to chat: Int) {
        sent[chat, default: []] += messages.map { JSONParser.parse($0) ?? .null }
    }

    private func write(_ actions: [AnswerStream.Action], _ index: Int) {
        for action in actions {
            switch action {
            case .write(let bytes): streams[index].text += String(decoding: bytes, as: UTF8.self)
            case .end: streams[index].isOver = true
            }
        }
    }

    // MARK: Events

    func receive(_ event: Event) {
        if isReplaying { state.replay(event, at: now) } else { publish(state.receive(event, at: now), except: nil) }
    }

    /// Expires the timeout of the answers that wait for the end of a message.
    func giveUp() {
        for pending in state.removePendingEnds() { publish(state.stopWaiting(pending, at: now), except: nil) }
    }

    private func receiveIdle(_ session: String) {
        let idle: JSON = ["type": "session.idle", "properties": ["sessionID": .string(session)]]
        if let event = Event(openCode1: idle) { receive(event) }
        giveUp()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import Instances
import JSONText
import Logging
import Projects
import Storage
import TestKit
import Testing

@testable import ConversationServing
@testable import Conversations
@testable import GatewayCore

/// A coordinator of conversations without its thread. A test runs its work, and responds on behalf of OpenCode.
private final class CoordinatorUnderTest {
    let coordinator: ConversationCoordinator
    let project: ConversationProject
    let log = LogKeeper()
    let line: ChatLine
    private let executor: LoopExecutor
    private let loop: EventLoop
    private let works = Monitor<[ConversationService.Work]>([])
    private let sending = Recorded<Int>("sendings to sockets")
    private let stop: Mailbox<Void>

    init(_ store: (any ConversationKeeping)? = nil) throws {
        let name = try #require(ProjectName("demo"))
        let folder = ProjectFolder(
            name: name, path: "/home/vibe/demo", hasGit: false, hasPackageJSON: false)
        let control = NoProjects(listed: [Project(folder: folder, state: .stopped)])
        loop = try EventLoop()
        executor = try LoopExecutor(loop)
        executor.useCurrentThread()
        let works = works
        coordinator = ConversationCoordinator(
            ConversationProject.Context(
                setUp: ConversationSetUp(project: nil, home: "/home/vibe", store: store, version: "1.2.3"),
                executor: executor, control: control, log: Logger(sink: log),
                post: { work in works.withLock { $0.append(work) } }))
        let sending = sending
        let mailbox = try loop.mailbox { (message: LoopMessage) in
            guard case .feature(let message) = message, let message = message as? ChatMessage else { return }
            switch message {
            case .run(let number, _): sending.append(number)
            case .send(let numbers, _): for number in numbers { sending.append(number) }
            }
        }
        stop = try loop.mailbox { [unowned loop] in loop.stop() }
        line = ChatLine(mailbox, number: 1)
        coordinator.loops = [mailbox]
        coordinator.follow(.ready(name))
        project = coordinator.project(name)
        withProject { $0.startedReceiving() }
        try work()
    }

    /// Calls the project on behalf of another object of the thread, and then runs the tasks.
    @discardableResult
    func withProject<Value: Sendable>(_ body: (isolated ConversationProject) -> Value) -> Value {
        defer { executor.runJobs() }
        return project.assumeIsolated(body)
    }

    /// Opens a chat.
    func open() {
        let line = line
        withProject { $0.open(1, on: line, for: .client(nil)) }
    }

    /// Receives a message of the chat's client.
    func receive(_ text: String) { withProject { $0.receive(Array(text.utf8), from: 1) } }

    /// Disconnects the chat's client.
    func close() { withProject { $0.close(1) } }

    /// The number of tasks that wait for something.
    var suspendedTasks: Int { withProject { $0.suspended.count } }

    /// The sessions with an answer that has not ended.
    var openSessions: [String] { withProject { $0.state.quiet(for: 0, at: .max) } }

    /// Waits for the coordinator's posted work and runs it.
    func work() throws {
        let all = try works.wait(for: "work for the coordinator", within: .seconds(60)) { works in
            defer { works = [] }
            return works.isEmpty ? nil : works
        }
        for work in all {
            work(coordinator)
            executor.runJobs()
        }
    }

    /// Returns how often something has been sent to sockets.
    func sent() throws -> Int {
        stop.post(())
        try loop.run()
        return sending.count
    }

    /// Advances the project by a few seconds.
    func tick() { withProject { $0.tick() } }

    /// Responds to all requests to OpenCode that precede the first prompt of a conversation.
    func makeSession() {
        answer(["providers": [["id": "mock", "models": ["talk": ["name": "Talk"]]]]])
        for answer in [[:], [], [:], []] as [JSON] { self.answer(answer) }
        answer([
            "id": "ses_1", "projectID": "p", "directory": "/home/vibe/demo", "title": "hi", "version": "1.18.33",
            "time": ["created": 1, "updated": 1],
        ])
    }

    /// Responds to the oldest request on behalf of OpenCode.
    func answer(_ json: JSON, _ status: Int = 200) {
        withProject { project in
            let waiting = project.suspended.numbers { if case .reply = $0 { true } else { false } }
            guard let oldest = waiting.first else { return }
            project.resume(oldest, .reply(.answer(OpenCodeAnswer(status, json.bytes))))
        }
    }
}

/// A store that cannot be read at first.
private final class LateStore: ConversationKeeping {
    let saved = Recorded<[KeptChange]>("changes")
    private let openings = Recorded<[ConversationTable.Entry]>("the recorded changes")

    func open(_ entries: [ConversationTable.Entry]) { openings.append(entries) }

    func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry] {
        guard let entries = openings.values.last else { throw StorageError(.unusable, "not yet") }
        return entries
    }

    func keep(_ changes: [KeptChange], of folder: [UInt8]) { saved.append(changes) }

    func flush(_ done: @escaping @Sendable () -> Void) { done() }
}

/// A store whose commits do not complete until a test completes them.
private final class SlowStore: ConversationKeeping {
    let saved = Recorded<[KeptChange]>("changes")
    private let flushes = Monitor<[@Sendable () -> Void]>([])

    func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry] { [] }

    func keep(_ changes: [KeptChange], of folder: [UInt8]) { saved.append(changes) }

    func flush(_ done: @escaping @Sendable () -> Void) { flushes.withLock { $0.append(done) } }

    /// Completes the oldest pending commit.
    func commit() throws {
        let oldest = flushes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let done = try #require(oldest)
        done()
    }
}

@Suite struct ConversationCoordinatorTests {
    @Test(arguments: ["GET", "HEAD"]) func `a request without a key that only reads starts no project`(method: String) {
        let initiator = RequestInitiator(method, by: nil)

        guard case .reader = initiator else {
            Issue.record("\(initiator)")
            return
        }
    }

    @Test(arguments: ["POST", "PATCH", "DELETE"]) func `a request without a key that writes starts a project`(
        method: String
    ) {
        let initiator = RequestInitiator(method, by: nil)

        guard case .client(nil, _) = initiator else {
            Issue.record("\(initiator)")
            return
        }
    }

    @Test func `an unreadable store is read again and is written only after it was read`() async throws {
        try await onThread { try Self.lateStore() }
    }

    private static func lateStore() throws {
        let store = LateStore()
        let fixture = try CoordinatorUnderTest(store)
        #expect(fixture.withProject { $0.isReady })
        fixture.withProject { project in
            project.state.pin("ses_1", true)
            project.save()
        }
        fixture.tick()
        try fixture.work()
        #expect(store.saved.count == 0)
        var written = ConversationTable.Entry(session: "ses_1")
        written.model = "mock/think"
        store.open([written])
        fixture.tick()
        try fixture.work()
        var merged = written
        merged.isPinned = true
        #expect(store.saved.values == [[.set(merged)]])
        // Each failure is logged once, and the store is not read again.
        for _ in 0..<2 { fixture.tick() }
        #expect(fixture.log.records.values.map(\.level) == [.error, .notice])
    }

    private static let first = #"""
        {"type":"user_message","conversationId":"A0B1C2D3-0000-4000-8000-00000000000A","content":"hi"}
        """#

    private static let new = #"""
        {"type":"new_conversation","conversationId":"A0B1C2D3-0000-4000-8000-00000000000A"}
        """#
    private static let made: JSON = [
        "id": "ses_1", "projectID": "p", "directory": "/home/vibe/demo", "title": "New session", "version": "1.18.33",
        "time": ["created": 1, "updated": 1],
    ]

    @Test func `the response to a change and all later messages are sent after the commit`() async throws {
        try await onThread {
            let store = SlowStore()
            let fixture = try CoordinatorUnderTest(store)
            fixture.open()
            let atBeginning = try fixture.sent()

            fixture.receive(Self.new)
            fixture.answer(Self.made)
            let kept = store.saved.count
            fixture.receive(#"{"type":"ping"}"#)
            let beforeCommit = try fixture.sent()
            try store.commit()
            try fixture.work()
            let afterCommit = try fixture.sent()

            #expect(atBeginning == 1)
            #expect(kept == 1)
            #expect(beforeCommit == 1)
            #expect(afterCommit == 3)
        }
    }

    @Test func `messages that wait for a commit that does not end are sent after at most ten seconds`() async throws {
        try await onThread {
            let fixture = try CoordinatorUnderTest(SlowStore())
            fixture.open()
            fixture.receive(Self.new)
            fixture.answer(Self.made)

            fixture.tick()
            let afterOne = try fixture.sent()
            fixture.tick()
            let afterTwo = try fixture.sent()

            #expect(afterOne == 1)
            #expect(afterTwo == 2)
        }
    }

    @Test func `a commit releases only the messages that waited for this commit`() {
        var commits = CommitQueue()
        var sent: [Int] = []

        commits.add { sent.append(0) }
        let first = commits.startCommit()
        commits.add { sent.append(1) }
        let second = commits.startCommit()
        commits.add { sent.append(2) }
        commits.committed(first)
        let afterFirst = sent
        commits.committed(second)
        commits.add { sent.append(3) }

        #expect(afterFirst == [0, 1])
        #expect(sent == [0, 1, 2, 3])
    }

    @Test func `a message received before the client disconnects is sent, then the chat is released`() async throws {
        try await onThread { try Self.gone() }
    }

    private static func gone() throws {
        let fixture = try CoordinatorUnderTest()
        // The session belongs to the project, whose thread is this thread.
        nonisolated(unsafe) weak var left: ChatSession<ConversationProject>?
        fixture.open()
        fixture.receive(first)
        fixture.withProject { project in left = project.chats[1]?.session }
        fixture.close()
        fixture.makeSession()
        #expect(fixture.openSessions == ["ses_1"])
        #expect(left != nil)
        #expect(fixture.withProject { $0.chats.isEmpty })
        fixture.answer(true, 204)
        #expect(left == nil)
        #expect(fixture.suspendedTasks == 0)
    }

    @Test func `a message received before the project is known is sent even if the client disconnects`() async throws {
        try await onThread { try Self.goneEarly() }
    }

    private static func goneEarly() throws {
        let fixture = try CoordinatorUnderTest()
        fixture.coordinator.opened(1, on: fixture.line, by: .client(nil), project: nil, refusal: nil)
        fixture.coordinator.received(1, Array(first.utf8))
        fixture.coordinator.ended(1)
        try fixture.work()
        fixture.makeSession()
        #expect(fixture.openSessions == ["ses_1"])
        #expect(fixture.withProject { $0.chats.isEmpty })
    }

    @Test func `a message is not sent if its client's key is revoked before the project is known`() async throws {
        try await onThread { try Self.revokedEarly() }
    }

    private static func revokedEarly() throws {
        let fixture = try CoordinatorUnderTest()
        fixture.coordinator.opened(1, on: fixture.line, by: .client(nil), project: nil, refusal: nil)
        fixture.coordinator.received(1, Array(first.utf8))
        fixture.coordinator.revoked(1)
        fixture.coordinator.received(1, Array(first.utf8))
        fixture.coordinator.ended(1)
        try fixture.work()
        fixture.makeSession()
        #expect(fixture.openSessions == [])
        #expect(fixture.withProject { $0.chats.isEmpty })
    }
}

// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventHub
import EventLoop
import Instances
import JSONText
import Logging
import OpenCodeFamilies
import Projects
import TestKit
import Testing

@testable import ConversationServing
@testable import Conversations
@testable import EventStreaming
@testable import GatewayCore

/// A project's conversations on the test's own thread. The test acts as the hub, the routing table and the loop.
final class HubFixture {
    let coordinator: ConversationCoordinator
    let name: ProjectName
    let log = EventLog.open(
        nil, project: "demo", limits: LogLimits(bytes: 1 << 20, time: .seconds(86_400)), now: 1)
    /// The queries that the translation of events has sent to the hub.
    private(set) var queries: [TranslationQuery] = []
    /// The responses to the calls, in order.
    var answers: [OpenCodeAnswer] { responses.values }
    /// The number of requests that were sent to the loop.
    var sent: Int { received.requests }
    /// The task of the last call.
    private(set) var task: Task<Void, Never>?
    /// The number of tasks that wait for something.
    var suspendedTasks: Int { withProject { $0.suspended.count } }
    let executor: LoopExecutor
    private let loop: EventLoop
    private let responses = Recorded<OpenCodeAnswer>("responses")
    private let post: @Sendable (@escaping ConversationService.Work) -> Void

    /// The receiver of the posted work.
    private final class Receiver {
        weak var coordinator: ConversationCoordinator?
    }

    /// A timer that stops the loop.
    private final class Stop: TimerHandler {
        private unowned let loop: EventLoop

        init(_ loop: EventLoop) { self.loop = loop }

        func timerFired(_ timer: LoopTimer) { loop.stop() }
    }

    /// The messages that the loop receives.
    private final class Received {
        var requests = 0
        var isSettled = false

        func message(_ message: LoopMessage) {
            switch message {
            case .request: requests += 1
            case .stop: isSettled = true
            default: break
            }
        }
    }

    private let requests: Mailbox<LoopMessage>
    private let received = Received()
    private var report: HubSubscriber?

    /// Creates conversations that wait for the hub's first snapshot.
    ///
    /// - Parameters:
    ///   - startAnswer: The result of each start.
    ///   - limits: The time limits of the project.
    init(
        _ startAnswer: StartAnswer = .notFound, limits: ConversationProject.Limits = ConversationProject.Limits()
    ) throws {
        name = try #require(ProjectName("demo"))
        loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        executor.useCurrentThread()
        self.executor = executor
        let receiver = Receiver()
        let works = try loop.mailbox { (work: ConversationService.Work) in
            if let coordinator = receiver.coordinator { work(coordinator) }
            executor.runJobs()
        }
        post = { works.post($0) }
        coordinator = ConversationCoordinator(
            ConversationProject.Context(
                setUp: ConversationSetUp(project: nil, home: "/home/vibe", store: nil, version: "1.2.3"),
                executor: executor, control: NoProjects(startAnswer: startAnswer), log: Logger(sink: LogKeeper()),
                post: post, limits: limits))
        receiver.coordinator = coordinator
        log.beginGeneration(now: 5, after: nil)
        let received = received
        requests = try loop.mailbox { received.message($0) }
        let hub = try loop.mailbox { [unowned self] (message: HubMessage) in
            switch message {
            case .subscribe(_, let report): self.report = report
            case .query(_, let query, let report):
                queries.append(query)
                report(Self.answer(query))
            default: break
            }
        }
        coordinator.loops = [requests]
        coordinator.hub = hub
        _ = project
        try run { report != nil }
    }

    var project: ConversationProject { coordinator.project(name) }

    /// Calls the project on behalf of another object of the thread.
    func withProject<Value: Sendable>(_ body: (isolated ConversationProject) -> Value) -> Value {
        project.assumeIsolated(body)
    }

    /// Reports a snapshot on behalf of the hub.
    func snapshot(_ upstream: HubSnapshot.Upstream, run: UInt64? = 1) throws {
        let view = HubSnapshot(
            project: name, log: log, upstream: upstream, since: 0, run: run, connected: nil, translatedConnected: nil,
            opened: [], encoding: .raw, warnings: [], subscribers: HubSnapshot.Subscribers())
        report?(view, log.end)
        try settle()
    }

    /// Runs the work that was posted so far, and the requests that result from it.
    func settle() throws {
        received.isSettled = false
        let requests = requests
        let executor = executor
        post { _ in
            executor.runJobs()
            requests.post(.stop)
        }
        try self.run { received.isSettled }
    }

    private static func answer(_ query: TranslationQuery) -> TranslationAnswer {
        guard case .session(let id) = query else {
            return .defaults(version: "2.0.15", configuration: [], model: [])
        }
        let session = #"""
            {"data":{"id":"\#(id)","projectID":"p","title":"t","location":{"directory":"/d"},"time":{"created":1,"updated":1}}}
            """#
        return .session(Array(session.utf8), messages: [], inbox: [], active: [])
    }

    /// Appends an event to the log.
    func append(_ line: String, family: APIFamily = .one) {
        let bytes = Array(line.utf8)
        _ = log.append(EventSkeleton(line: bytes.span, family: family), line: bytes.span, time: 10)
    }

    /// Calls OpenCode on behalf of a client.
    func call(
        _ method: String, for initiator: RequestInitiator = .client(nil),
        limits: ConversationProject.Limits = ConversationProject.Limits()
    ) {
        let request = RequestBuilder(directory: "/home/vibe/demo").request(method, ["session"])
        let project = project
        let responses = responses
        withProject { $0.limits = limits }
        task = Task(executorPreference: executor) {
            if let answer = try? await project.send(request, for: initiator) { responses.append(answer) }
        }
        executor.runJobs()
    }

    /// Reports on behalf of the loop that the instances of all pending requests are not reachable.
    func notRunning() {
        withProject { project in
            let waiting = project.suspended.numbers { if case .reply = $0 { true } else { false } }
            for number in waiting { project.resume(number, .reply(.notRunning)) }
        }
        executor.runJobs()
    }

    /// Runs the loop for this time.
    func run(for duration: Duration) throws {
        loop.arm(loop.timer(Stop(loop)), at: .now + duration)
        try loop.run()
    }

    /// Runs the loop until the condition is met.
    func run(until isMet: () -> Bool) throws {
        for _ in 0..<10_000 where !isMet() { try run(for: .milliseconds(1)) }
        try #require(isMet())
    }
}

/// Tests that a call that cannot be sent yet waits without sending anything to a loop, and resumes when it is notified
/// of a change.
@Suite struct ConversationCallTests {
    private static let address = InstanceAddress.loopback(1)

    @Test func `a request that causes events waits without polling until the hub has subscribed`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.waiting)

            fixture.call("POST")
            try fixture.run(for: .milliseconds(200))
            let whileWaiting = fixture.sent
            try fixture.snapshot(.connected, run: 2)
            let afterAnotherRun = fixture.sent
            try fixture.snapshot(.connected)

            #expect(whileWaiting == 0)
            #expect(afterAnotherRun == 0)
            #expect(fixture.sent == 1)
            #expect(fixture.answers.isEmpty)
        }
    }

    @Test func `a request is sent once after its time limit even if the hub receives no events`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.waiting)
            let limits = ConversationProject.Limits(events: .milliseconds(100))

            let start = MonotonicTime.now
            fixture.call("POST", limits: limits)
            try fixture.run { fixture.sent > 0 }
            let waited = MonotonicTime.now - start
            try fixture.run(for: .milliseconds(200))

            #expect(waited >= .milliseconds(100))
            #expect(fixture.sent == 1)
        }
    }

    @Test func `a request that was resumed is not sent again at its time limit`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.waiting)

            fixture.call("POST", limits: ConversationProject.Limits(events: .milliseconds(100)))
            try fixture.snapshot(.connected)
            try fixture.run(for: .milliseconds(200))

            #expect(fixture.sent == 1)
        }
    }

    @Test func `a request that only reads does not wait for the hub`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.waiting)

            fixture.call("GET")
            try fixture.settle()

            #expect(fixture.sent == 1)
        }
    }

    @Test func `a request after a start waits for the routing table`() async throws {
        try await onThread {
            let fixture = try HubFixture(.started(address: Self.address))
            try fixture.snapshot(.waiting)
            let limits = ConversationProject.Limits(route: .seconds(60))

            fixture.call("GET", limits: limits)
            try fixture.run(for: .milliseconds(200))
            let whileWaiting = fixture.sent
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.run { fixture.sent > 0 }

            #expect(whileWaiting == 0)
            #expect(fixture.sent == 1)
            #expect(fixture.answers.isEmpty)
        }
    }

    @Test func `a request fails if the started instance is not in the routing table after a second`() async throws {
        try await onThread {
            let fixture = try HubFixture(.started(address: Self.address))
            try fixture.snapshot(.waiting)
            let start = MonotonicTime.now

            fixture.call("GET")
            try fixture.run { !fixture.answers.isEmpty }

            #expect(fixture.answers.map(\.status) == [503])
            #expect(fixture.sent == 0)
            #expect(MonotonicTime.now - start >= .seconds(1))
        }
    }

    @Test func `an instance that ends before the request is sent is started for the client`() async throws {
        try await onThread {
            let fixture = try HubFixture(.failed("It does not start."))
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.connected)

            fixture.call("GET")
            try fixture.settle()
            fixture.notRunning()
            try fixture.run { !fixture.answers.isEmpty }

            #expect(fixture.sent == 1)
            #expect(fixture.answers.map(\.status) == [503])
            #expect(fixture.answers.first?.json?["message"]?.text == "It does not start.")
        }
    }

    @Test func `a request whose client leaves while it waits for the events is not sent`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.waiting)

            fixture.call("POST")
            let whileWaiting = fixture.suspendedTasks
            fixture.task?.cancel()
            try fixture.settle()
            let afterLeaving = fixture.suspendedTasks
            try fixture.snapshot(.connected)

            #expect(whileWaiting == 1)
            #expect(afterLeaving == 0)
            #expect(fixture.sent == 0)
            #expect(fixture.answers.isEmpty)
        }
    }

    @Test func `a reply for a client that has left resumes nothing`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.connected)

            fixture.call("GET")
            try fixture.settle()
            let waiting = fixture.withProject { $0.suspended.numbers { if case .reply = $0 { true } else { false } } }
            fixture.task?.cancel()
            try fixture.settle()
            let number = try #require(waiting.first)
            fixture.withProject { $0.resume(number, .reply(.answer(OpenCodeAnswer(200, [])))) }
            try fixture.settle()

            #expect(fixture.sent == 1)
            #expect(fixture.suspendedTasks == 0)
            #expect(fixture.answers.isEmpty)
        }
    }

    @Test func `the end of the thread ends all suspended requests`() async throws {
        try await onThread {
            let fixture = try HubFixture()
            fixture.coordinator.follow(.ready(fixture.name))
            try fixture.snapshot(.connected)
            for _ in 0..<3 { fixture.call("GET") }
            try fixture.settle()
            let whileWaiting = fixture.suspendedTasks

            fixture.coordinator.end()
            fixture.call("GET")
            try fixture.settle()

            #expect(whileWaiting == 3)
            #expect(fixture.suspendedTasks == 0)
            #expect(fixture.sent == 3)
            #expect(fixture.answers.isEmpty)
        }
    }

    @Test func `clients are served after a time limit even if the hub sends no snapshot`() async throws {
        try await onThread {
            let waiting = try HubFixture()
            let fixture = try HubFixture(limits: ConversationProject.Limits(start: .milliseconds(100)))

            try fixture.run { fixture.withProject { $0.isReady } }
            try waiting.settle()

            #expect(!waiting.withProject { $0.isReady })
        }
    }

    @Test func `the gateway's own request fails immediately if the project is not running`() async throws {
        try await onThread {
            let fixture = try HubFixture(.started(address: Self.address))
            try fixture.snapshot(.waiting)

            fixture.call("POST", for: .gateway)

            #expect(fixture.answers.map(\.status) == [503])
            #expect(fixture.sent == 0)
        }
    }
}

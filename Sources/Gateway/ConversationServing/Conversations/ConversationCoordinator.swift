// SPDX-License-Identifier: Apache-2.0

import Access
import Conversations
import Encodings
import EventLoop
import GatewayCore
internal import Instances
import Logging
internal import Projects
import WebSockets

/// All projects' conversations with the clients of the two protocols. It is confined to the thread of
/// ``ConversationService``.
final class ConversationCoordinator {
    /// The interval of the check for silent streams and for answers without events.
    private static let tick = Duration.seconds(5)

    let loop: EventLoop
    let setUp: ConversationSetUp
    let control: any ProjectControl
    let log: Logger
    /// Runs work on the conversations' thread.
    var post: (@Sendable (@escaping ConversationService.Work) -> Void)?
    var loops: [Mailbox<LoopMessage>] = []
    /// The source of the events of conversations.
    var hub: ConversationHub?
    /// The routes to the projects' instances.
    private(set) var routes = RoutingTable.empty
    private var projects: [ProjectName: ConversationProject] = [:]
    private var chats: [Int: ConversationChat] = [:]
    /// The messages from chats whose project is still being determined.
    private var earlyMessages: [Int: [[UInt8]]] = [:]
    /// The chats in ``earlyMessages`` that have ended in the meantime.
    private var endedEarly: Set<Int> = []
    /// The chats in ``earlyMessages`` whose key was revoked in the meantime.
    private var revokedEarly: Set<Int> = []
    private var waiting: [Int: (ConversationCall.Reply) -> Void] = [:]
    private var startingCalls: [ObjectIdentifier: ConversationCall] = [:]
    private var pauses: [Int: (pause: Pause, timer: LoopTimer)] = [:]
    private var count = 0
    private var timer: LoopTimer?

    init(_ loop: EventLoop, setUp: ConversationSetUp, control: any ProjectControl, log: Logger) {
        self.loop = loop
        self.setUp = setUp
        self.control = control
        self.log = log
    }

    /// Starts the periodic check. Called when the thread starts.
    func start() {
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: Self.tick)
    }

    /// The current time in milliseconds since 1970.
    var now: Int64 { WallClock.milliseconds }

    func project(_ name: ProjectName) -> ConversationProject {
        if let known = projects[name] { return known }
        let project = ConversationProject(self, name)
        projects[name] = project
        project.start()
        return project
    }

    func known(_ name: ProjectName) -> ConversationProject? { projects[name] }

    /// Sets a new routing table. All loops have received it or receive it before the next request.
    func follow(_ table: RoutingTable) {
        routes = table
        for project in projects.values { project.resumeCalls() }
    }

    /// Returns a new number for a pending operation.
    func number() -> Int {
        count += 1
        return count
    }

    // MARK: Chats

    /// Opens a chat.
    ///
    /// - Parameter late: Whether the control plane has already been queried for the project, because the loops did not
    ///   know it.
    func opened(
        _ number: Int, on line: ChatLine, by principal: Principal?, project: ProjectName?, refusal: ConversationError?,
        late: Bool = false
    ) {
        if project == nil, !late, let post {
            let control = control
            earlyMessages[number] = []
            Task {
                var only: ProjectName?
                if case .projects(let projects) = await control.projects(), projects.count == 1 {
                    only = projects[0].folder.name
                }
                let found = only
                post {
                    $0.opened(
                        number, on: line, by: principal, project: found, refusal: found == nil ? refusal : nil,
                        late: true)
                }
            }
            return
        }
        defer {
            for text in earlyMessages.removeValue(forKey: number) ?? [] { received(number, text) }
            if revokedEarly.remove(number) != nil { revoked(number) }
            if endedEarly.remove(number) != nil { ended(number) }
        }
        let chat = ConversationChat(
            number: number, line, for: .client(principal), project: project.map { self.project($0) },
            session: ChatSession(version: setUp.version, refusal: refusal))
        chats[number] = chat
        chat.open()
    }

    func received(_ number: Int, _ text: [UInt8]) {
        if chats[number] == nil, earlyMessages[number] != nil, !revokedEarly.contains(number) {
            earlyMessages[number]?.append(text)
        }
        chats[number]?.received(text, at: now)
    }

    func revoked(_ number: Int) {
        if earlyMessages[number] != nil {
            earlyMessages[number] = []
            revokedEarly.insert(number)
        }
        chats[number]?.revoke()
    }

    func ended(_ number: Int) {
        if earlyMessages[number] != nil { endedEarly.insert(number) }
        chats.removeValue(forKey: number)?.close()
    }

    // MARK: Time

    /// Runs the work after a delay.
    func later(_ duration: Duration, _ work: @escaping () -> Void) {
        let number = number()
        let pause = Pause { [unowned self] in
            pauses[number] = nil
            work()
        }
        let timer = loop.timer(pause)
        pauses[number] = (pause, timer)
        loop.arm(timer, after: duration)
    }

    // MARK: Replies

    /// Registers the handler of a pending reply. Returns its number for ``answered(_:_:)``.
    func wait(_ answered: @escaping (ConversationCall.Reply) -> Void) -> Int {
        let number = number()
        waiting[number] = answered
        return number
    }

    /// Retains a call while its project is being started.
    func retain(_ call: ConversationCall) { startingCalls[ObjectIdentifier(call)] = call }

    func retained(_ key: ObjectIdentifier) -> ConversationCall? { startingCalls[key] }

    func release(_ call: ConversationCall) { startingCalls[ObjectIdentifier(call)] = nil }

    func answered(_ number: Int, _ reply: ConversationCall.Reply) { waiting.removeValue(forKey: number)?(reply) }
}

extension ConversationCoordinator: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        for project in projects.values { project.tick() }
        loop.arm(timer, after: Self.tick)
    }
}

/// A timer handler that runs its work once.
private final class Pause: TimerHandler {
    private let work: () -> Void

    init(_ work: @escaping () -> Void) { self.work = work }

    func timerFired(_ timer: LoopTimer) { work() }
}

/// A chat client on the conversations' thread, which parses the client's messages.
final class ConversationChat {
    let number: Int
    private let line: ChatLine
    private let initiator: RequestInitiator
    private let project: ConversationProject?
    private(set) var session: ChatSession
    private var isRevoked = false

    init(
        number: Int, _ line: ChatLine, for initiator: RequestInitiator, project: ConversationProject?,
        session: ChatSession
    ) {
        self.number = number
        self.line = line
        self.initiator = initiator
        self.project = project
        self.session = session
    }

    func open() {
        project?.chats[number] = self
        perform(session.opened(project?.state.catalogue))
    }

    /// Records that the client's key is revoked. Requests that were not sent to OpenCode yet are discarded.
    func revoke() {
        isRevoked = true
        session.revoke()
    }

    /// Records that the client has disconnected. Pending operations retain this object until they are finished.
    func close() {
        project?.chats[number] = nil
        session.clientDisconnected()
    }

    func received(_ text: [UInt8], at now: Int64) {
        guard let project else {
            // Without a project, nothing is requested, and the client only receives the reason.
            var state = ConversationState(directory: "/")
            return perform(session.receive(text, in: &state, at: now) { 0 })
        }
        project.whenReady { [self] in
            guard !isRevoked else { return }
            let actions = session.receive(text, in: &project.state, at: now, random: Self.random)
            project.saveBeforeSending()
            perform(actions)
        }
    }

    /// Records an event whose texts are the same for all clients. If the event concerns this client, returns the line
    /// to it.
    func receive(_ event: ConversationEvent) -> ChatLine? {
        guard session.sees(event.session) else { return nil }
        _ = session.receive(event, [])
        return line
    }

    private func perform(_ actions: [ChatSession.Action]) {
        var frames: [Frame] = []
        for action in actions {
            switch action {
            case .send(let text): frames.append(.text(text))
            case .run(let number, let plan):
                // The plan runs to its end even if the client disconnects, because the client's message was accepted.
                project?.run(plan, for: initiator) { [self] in finished(number, $0) }
            case .watch: continue
            case .publish(let events):
                flush(&frames)
                project?.publish(events)
            case .publishToOthers(let events): project?.publish(events, except: number)
            }
        }
        flush(&frames)
    }

    private func flush(_ frames: inout [Frame]) {
        guard !frames.isEmpty else { return }
        let line = line
        let sent = frames
        if let project { project.send { line.send(sent) } } else { line.send(sent) }
        frames = []
    }

    private func finished(_ number: Int, _ result: Result<ChatSession.WorkResult, ConversationError>) {
        guard let project else { return }
        let now = project.coordinator.now
        let actions = session.finished(number, result, in: &project.state, at: now, random: Self.random)
        project.saveBeforeSending()
        perform(actions)
    }

    static func random() -> UInt64 { UInt64.random(in: 0...UInt64.max) }
}

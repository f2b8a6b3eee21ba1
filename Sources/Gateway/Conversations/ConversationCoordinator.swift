import Access
import Clocks
import Conversations
import EventLoop
internal import Instances
import Logging
internal import Projects
import WebSockets

/// All projects' conversations, and the clients that talk about them. Confined to the thread of ``ConversationService``.
final class ConversationCoordinator {
    /// How often is looked after streams that are silent and answers of which nothing is heard.
    private static let tick = Duration.seconds(5)

    let loop: EventLoop
    let setUp: ConversationSetUp
    let control: any ProjectControl
    let log: Logger
    /// The way back to this thread.
    var post: (@Sendable (@escaping ConversationService.Work) -> Void)?
    var loops: [Mailbox<LoopMessage>] = []
    /// Where what is said in conversations is heard.
    var hub: ConversationHub?
    private var projects: [ProjectName: ConversationProject] = [:]
    private var chats: [Int: ConversationChat] = [:]
    /// What came from chats whose project is still looked for.
    private var early: [Int: [[UInt8]]] = [:]
    /// Those of them that have ended meanwhile.
    private var endedEarly: Set<Int> = []
    /// Those among them whose key was revoked meanwhile.
    private var revokedEarly: Set<Int> = []
    private var waiting: [Int: (OpenCodeAnswer) -> Void] = [:]
    private var questions: [ObjectIdentifier: ConversationCall] = [:]
    private var pauses: [Int: (pause: Pause, timer: LoopTimer)] = [:]
    private var count = 0
    private var timer: LoopTimer?

    init(_ loop: EventLoop, _ setUp: ConversationSetUp, _ control: any ProjectControl, _ log: Logger) {
        (self.loop, self.setUp, self.control, self.log) = (loop, setUp, control, log)
    }

    /// The thread begins.
    func begin() {
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: Self.tick)
    }

    /// Milliseconds since 1970.
    var now: Int64 { WallClock.nanoseconds() / 1_000_000 }

    func project(_ name: ProjectName) -> ConversationProject {
        if let known = projects[name] { return known }
        let project = ConversationProject(self, name)
        projects[name] = project
        project.begin()
        return project
    }

    func known(_ name: ProjectName) -> ConversationProject? { projects[name] }

    /// A number for what is waited for.
    func number() -> Int {
        count += 1
        return count
    }

    // MARK: Chats

    /// `late`: whether it was looked for a project that the loops have not heard of yet.
    func opened(
        _ number: Int, _ line: ChatLine, by principal: Principal?, _ project: ProjectName?, _ refusal: Refusal?,
        late: Bool = false
    ) {
        if project == nil, !late, let post {
            let control = control
            early[number] = []
            Task {
                var only: ProjectName?
                if case .projects(let projects) = await control.projects(), projects.count == 1 {
                    only = projects[0].folder.name
                }
                let found = only
                post {
                    $0.opened(number, line, by: principal, found, found == nil ? refusal : nil, late: true)
                }
            }
            return
        }
        defer {
            for text in early.removeValue(forKey: number) ?? [] { received(number, text) }
            if revokedEarly.remove(number) != nil { revoked(number) }
            if endedEarly.remove(number) != nil { ended(number) }
        }
        let chat = ConversationChat(
            number: number, line, for: .client(principal), project.map { self.project($0) },
            ChatSession(version: setUp.version, refusal: refusal))
        chats[number] = chat
        chat.begin()
    }

    func received(_ number: Int, _ text: [UInt8]) {
        if chats[number] == nil, early[number] != nil, !revokedEarly.contains(number) { early[number]?.append(text) }
        chats[number]?.received(text, at: now)
    }

    func revoked(_ number: Int) {
        if early[number] != nil {
            early[number] = []
            revokedEarly.insert(number)
        }
        chats[number]?.revoke()
    }

    func ended(_ number: Int) {
        if early[number] != nil { endedEarly.insert(number) }
        chats.removeValue(forKey: number)?.end()
    }

    // MARK: Time

    /// Does something in a while.
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

    // MARK: Answers

    /// Keeps who waits for an answer.
    func wait(_ answered: @escaping (OpenCodeAnswer) -> Void) -> Int {
        let number = number()
        waiting[number] = answered
        return number
    }

    /// Keeps a question that waits for something else than an answer.
    func keep(_ question: ConversationCall) { questions[ObjectIdentifier(question)] = question }

    func kept(_ key: ObjectIdentifier) -> ConversationCall? { questions[key] }

    func letGo(_ question: ConversationCall) { questions[ObjectIdentifier(question)] = nil }

    func answered(_ number: Int, _ answer: OpenCodeAnswer) { waiting.removeValue(forKey: number)?(answer) }
}

extension ConversationCoordinator: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        for project in projects.values { project.tick() }
        loop.arm(timer, after: Self.tick)
    }
}

/// Something that is done in a while.
private final class Pause: TimerHandler {
    private let work: () -> Void

    init(_ work: @escaping () -> Void) { self.work = work }

    func timerFired(_ timer: LoopTimer) { work() }
}

/// A chat's client, where its messages are read.
final class ConversationChat {
    let number: Int
    private let line: ChatLine
    private let asker: RequestInitiator
    private let project: ConversationProject?
    private(set) var session: ChatSession
    private var isRevoked = false

    init(
        number: Int, _ line: ChatLine, for asker: RequestInitiator, _ project: ConversationProject?,
        _ session: ChatSession
    ) {
        (self.number, self.line, self.asker, self.project, self.session) = (number, line, asker, project, session)
    }

    func begin() {
        project?.chats[number] = self
        take(session.opened(project?.book.catalogue))
    }

    /// Its key does not count any more: what was not sent to OpenCode yet is not sent.
    func revoke() {
        isRevoked = true
        session.revoke()
    }

    /// The client has gone. What is under way keeps this until nothing is left to do.
    func end() {
        project?.chats[number] = nil
        session.end()
    }

    func received(_ text: [UInt8], at now: Int64) {
        guard let project else {
            // Nothing of it is asked: it only hears why.
            var book = ConversationState(directory: "/")
            return take(session.receive(text, in: &book, at: now) { 0 })
        }
        project.whenReady { [self] in
            guard !isRevoked else { return }
            let actions = session.receive(text, in: &project.book, at: now, random: Self.random)
            project.keepBeforeSending()
            take(actions)
        }
    }

    /// Something was told, in texts that are the same for everybody: the way to this client, where it sees that.
    func tell(_ told: Told) -> ChatLine? {
        guard session.sees(told.session) else { return nil }
        _ = session.tell(told, [])
        return line
    }

    private func take(_ actions: [ChatSession.Action]) {
        var frames: [Frame] = []
        for action in actions {
            switch action {
            case .send(let text): frames.append(.text(text))
            case .run(let number, let plan):
                // Though the client may go: what it has said was taken.
                project?.run(plan, for: asker) { [self] in finished(number, $0) }
            case .watch: continue
            case .tell(let told):
                flush(&frames)
                project?.tell(told)
            case .tellOthers(let told): project?.tell(told, but: number)
            }
        }
        flush(&frames)
    }

    private func flush(_ frames: inout [Frame]) {
        guard !frames.isEmpty else { return }
        let (line, sent) = (line, frames)
        if let project { project.send { line.send(sent) } } else { line.send(sent) }
        frames = []
    }

    private func finished(_ number: Int, _ result: Result<ChatSession.Result, Refusal>) {
        guard let project else { return }
        let now = project.desk.now
        let actions = session.finished(number, result, in: &project.book, at: now, random: Self.random)
        project.keepBeforeSending()
        take(actions)
    }

    static func random() -> UInt64 { UInt64.random(in: 0...UInt64.max) }
}

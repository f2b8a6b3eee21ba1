import Conversations
import Dialects
import EventHub
import EventLoop
internal import Instances
import JSONText
import Logging
internal import Projects
internal import Storage
import WebSockets

/// One project's conversations: their book, who looks at them, and what is asked of its OpenCode.
final class ConversationProject {
    /// Without a word of an answer for so long, OpenCode is asked whether it still works on it.
    private static let quiet: Int64 = 30_000

    unowned let desk: ConversationCoordinator
    let name: ProjectName
    var book: ConversationState
    var chats: [Int: ConversationChat] = [:]
    var streams: [Int: ConversationStream] = [:]
    private var reading = Reading.idle
    /// Whether what is kept was read, or could not be.
    private var isLoaded = false
    private var hasFailed = false
    private var isHeard = false
    private var waiting: [() -> Void] = []
    private var checking: Set<String> = []
    /// Plans that wait until what was aborted in a session has ended.
    private var endWaiters: [Int: (session: String, work: () -> Void)] = [:]
    private let folder: String
    private var commits = CommitQueue()
    /// What its OpenCode says.
    private(set) var feed: ConversationFeed?

    init(_ desk: ConversationCoordinator, _ name: ProjectName) {
        (self.desk, self.name) = (desk, name)
        folder = (desk.setUp.home.hasSuffix("/") ? desk.setUp.home : desk.setUp.home + "/") + name.string
        book = ConversationState(directory: folder)
    }

    /// Reads what is kept, and begins to listen.
    func begin() {
        read()
        feed = desk.hub.map { ConversationFeed(self, $0) }
        feed?.begin()
    }

    // MARK: What is kept

    private enum Reading {
        case idle, underWay, done
    }

    private func read() {
        guard reading == .idle, let post = desk.post else { return }
        reading = .underWay
        let (name, folder, store) = (name, Array(folder.utf8), desk.setUp.store)
        Task {
            do {
                let kept = try await store?.entries(of: folder) ?? []
                post { $0.known(name)?.read(kept) }
            } catch {
                post { $0.known(name)?.failed("\(error)") }
            }
        }
    }

    private func read(_ kept: [ConversationTable.Entry]) {
        reading = .done
        if hasFailed {
            desk.log.notice("what is kept of conversations is read again", LogField("project", name.string))
        }
        book.recall(kept)
        isLoaded = true
        keep()
        goOn()
    }

    /// It goes on without, and tries again: what is written before that would stand in the place of what is there.
    private func failed(_ reason: String) {
        reading = .idle
        if !hasFailed {
            desk.log.error(
                "what is kept of conversations can't be read", LogField("project", name.string),
                LogField("reason", reason))
        }
        hasFailed = true
        isLoaded = true
        goOn()
    }

    /// From here on nothing that OpenCode says is missed.
    func listens() {
        isHeard = true
        goOn()
    }

    /// Everything was replayed that was said of answers before anybody listened.
    func replayed() {
        let open = book.endReplay()
        listens()
        // The end of an answer may be missing.
        check(open)
    }

    /// Does it once what is kept is known and OpenCode is listened to.
    func whenReady(_ work: @escaping () -> Void) {
        if isLoaded, isHeard, waiting.isEmpty { work() } else { waiting.append(work) }
    }

    private func goOn() {
        guard isLoaded, isHeard else { return }
        let works = waiting
        waiting = []
        for work in works { work() }
    }

    /// Writes down what has changed, once it is known what is written down already. Returns whether there was anything.
    @discardableResult
    func keep() -> Bool {
        let changes = book.takeChanges()
        guard !changes.isEmpty, let store = desk.setUp.store else { return false }
        store.keep(changes, of: Array(folder.utf8))
        return true
    }

    /// Writes down what a client has changed. What is sent from here on waits until that is committed, so that the client finds
    /// it again whatever becomes of the gateway.
    func keepBeforeSending() {
        guard keep(), let post = desk.post else { return }
        let (name, commit) = (name, commits.begin())
        desk.setUp.store?.flush { post { $0.known(name)?.commits.committed(commit) } }
    }

    /// Sends something to clients, in the order of the calls. What is sent is decided before: only the sending may wait.
    func send(_ send: @escaping () -> Void) { commits.add(send) }

    // MARK: Events

    /// Lines of the project's events (``EventShape/item(_:)``).
    func heard(_ lines: [UInt8]) {
        let now = desk.now
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: EventPage.gap) {
                check(book.missed())
            } else if let event = Self.event(line) {
                tell(book.hear(event, at: now))
            }
        }
        keep()
        for held in book.takeHeld() {
            desk.later(.milliseconds(Abort.patience)) { [self] in
                tell(book.giveUp(held, at: desk.now))
                keep()
                resumeEndWaiters()
            }
        }
        resumeEndWaiters()
    }

    /// Lines of what was said before anybody listened.
    func replay(_ lines: [UInt8]) {
        let now = desk.now
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: EventPage.gap) {
                let reason = JSONParser.parse(Array(line.dropFirst(EventPage.gap.count)))?["reason"]?.text
                book.replayGap(endsTurns: reason.flatMap(EventGap.Reason.init)?.endsTurns ?? false)
            } else if let event = Self.event(line) {
                book.replay(event, at: now)
            }
        }
    }

    private static func event(_ line: ArraySlice<UInt8>) -> Event? {
        JSONParser.parse(Array(line))?["event"].flatMap(Event.init(openCode1:))
    }

    /// The instance's run is over.
    func instanceEnded() {
        let reason = "OpenCode of \(name.string) has ended before the answer was complete."
        tell(book.instanceEnded(reason, at: desk.now))
        keep()
        resumeEndWaiters()
    }

    /// Tells everybody who sees it, but one perhaps.
    func tell(_ told: [Told], but one: Int? = nil) {
        guard !told.isEmpty else { return }
        let now = desk.now
        for told in told {
            let lines = chats.values.filter { $0.number != one }.compactMap { $0.tell(told) }
            if !lines.isEmpty {
                let frames = book.chatTexts(told).map(Frame.text)
                if !frames.isEmpty { send { ChatLine.send(frames, over: lines) } }
            }
            for stream in Array(streams.values) { stream.hear(told, at: now) }
        }
    }

    /// What is looked after now and then.
    func tick() {
        let now = desk.now
        read()
        commits.tick()
        for stream in Array(streams.values) { stream.wake(at: now) }
        check(book.quiet(for: Self.quiet, at: now))
    }

    private func check(_ sessions: [String]) {
        for session in sessions where checking.insert(session).inserted {
            run(book.check(session), for: .gateway) { [self] result in
                checking.remove(session)
                guard case .success(let check) = result else { return }
                tell(book.checked(check, at: desk.now))
                keep()
            }
        }
    }

    // MARK: Plans

    /// Takes a plan's steps.
    func run<Value>(
        _ plan: Plan<Value>, for asker: RequestInitiator, _ done: @escaping (Result<Value, Refusal>) -> Void
    ) {
        switch plan {
        case .pause(let milliseconds, let next):
            desk.later(.milliseconds(milliseconds)) { [self] in run(next(), for: asker, done) }
        case .aborting(let session, let next):
            book.abort(session)
            run(next(), for: asker, done)
        case .ended(let session, let next):
            afterEnd(in: session) { [self] in run(next(), for: asker, done) }
        case .learned(let catalogue, let next):
            book.catalogue = catalogue
            run(next(), for: asker, done)
        case .done(let value): done(.success(value))
        case .refused(let refusal): done(.failure(refusal))
        case .ask(let request, let next):
            ask(request, for: asker) { [self] answer in run(next(answer), for: asker, done) }
        }
    }

    /// Calls `work` when what was aborted in a session has ended, or when that was awaited for long enough.
    private func afterEnd(in session: String, _ work: @escaping () -> Void) {
        guard book.isEnding(session) else { return work() }
        let number = desk.number()
        endWaiters[number] = (session, work)
        desk.later(.milliseconds(Abort.patience)) { [self] in
            guard endWaiters[number] != nil else { return }
            tell(book.giveUpEnd(of: session, at: desk.now))
            keep()
            resumeEndWaiters()
        }
    }

    private func resumeEndWaiters() {
        for number in endWaiters.keys.sorted() {
            guard let waiter = endWaiters[number], !book.isEnding(waiter.session) else { continue }
            endWaiters[number] = nil
            waiter.work()
        }
    }

    /// Asks the project's OpenCode; `answered` is called on this thread.
    func ask(_ request: ClientRequest, for asker: RequestInitiator, _ answered: @escaping (OpenCodeAnswer) -> Void) {
        ConversationCall(self, request, for: asker, answered).ask()
    }
}

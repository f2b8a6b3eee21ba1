import Clocks
import EventHub
import EventLoop
import Locking
internal import Projects

/// What a stream wants to have read.
struct ReadingOrder: Sendable {
    /// The loop that the bytes go to, and the stream's number on it.
    let loop: Mailbox<LoopMessage>
    let stream: Int
    /// The project's; nil: all projects' events are read.
    let log: EventLog?
    var cursor: EventCursor
    /// What OpenCode's clients get behind a gap.
    let connected: [UInt8]
    /// Bytes that are wanted, about.
    let limit: Int
}

/// What was read for a stream.
struct Reading: Sendable {
    let stream: Int
    let cursor: EventCursor
    let passage: EventPassage
}

/// The thread that reads logs for streams that are behind: what a loop reads there could wait for a disk.
final class EventReaderThread: Sendable {
    fileprivate enum Message: Sendable {
        case read(ReadingOrder)
        case answered(EventLog, TranslationQuestion, TranslationAnswer)
        case stop
    }

    private let mailbox: Mailbox<Message>
    private let thread: WorkerThread

    private struct Passage: @unchecked Sendable {  // handed over once, at the thread's start
        let loop: EventLoop
    }

    /// `hub`: where instances are asked.
    init(_ board: HubBoard, hub: Mailbox<HubMessage>) throws {
        let passage = Passage(loop: try EventLoop())
        let loop = passage.loop
        // The mailbox's own: it is called on the thread only.
        let desk = ReaderDesk(board, hub: hub)
        mailbox = try loop.mailbox { [unowned loop] (message: Message) in
            switch message {
            case .read(let order): desk.read(order)
            case .answered(let log, let question, let answer): desk.answered(log, question, answer)
            case .stop: loop.stop()
            }
        }
        let mailbox = mailbox
        desk.post = { mailbox.post(.answered($0, $1, $2)) }
        thread = try WorkerThread(name: "event-reader") {
            try? passage.loop.run()
            passage.loop.letGo()
        }
    }

    /// Has something read; the stream's loop gets it as ``LoopMessage/reading(_:)``.
    func read(_ order: ReadingOrder) { mailbox.post(.read(order)) }

    /// Ends the thread. Not on it.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}

/// What the thread works with: confined to it.
private final class ReaderDesk {
    private struct Inquiry: Hashable {
        let log: ObjectIdentifier
        let question: TranslationQuestion
    }

    private var tracks = FormTracks()
    private let board: HubBoard
    private let hub: Mailbox<HubMessage>
    /// How an answer comes back to the thread.
    var post: (@Sendable (EventLog, TranslationQuestion, TranslationAnswer) -> Void)?
    private var asked: Set<Inquiry> = []
    /// Who waits for an answer.
    private var waiting: [ObjectIdentifier: [ReadingOrder]] = [:]

    init(_ board: HubBoard, hub: Mailbox<HubMessage>) {
        self.board = board
        self.hub = hub
    }

    func read(_ order: ReadingOrder) {
        var cursor = order.cursor
        let passage: EventPassage
        if let log = order.log {
            passage =
                cursor.isFormed
                ? cursor.readFormed(
                    log, &tracks, atMost: order.limit, connected: order.connected, now: WallClock.milliseconds)
                : cursor.read(log, atMost: order.limit, connected: order.connected)
            if let question = passage.question, passage.bytes.isEmpty { return wait(order, log, question) }
        } else if let index = board.index {
            passage = cursor.readAll(index, &tracks, atMost: order.limit, now: WallClock.milliseconds) { name in
                ProjectName(name).flatMap { board.view($0)?.log }
            }
        } else {
            return
        }
        order.loop.post(.reading(Reading(stream: order.stream, cursor: cursor, passage: passage)))
    }

    /// Reads it again once there is an answer.
    private func wait(_ order: ReadingOrder, _ log: EventLog, _ question: TranslationQuestion) {
        let name = ObjectIdentifier(log)
        waiting[name, default: []].append(order)
        guard asked.insert(Inquiry(log: name, question: question)).inserted, let post else { return }
        guard let project = ProjectName(order.cursor.project) else { return post(log, question, .nothing) }
        hub.post(.ask(project, question) { post(log, question, $0) })
    }

    func answered(_ log: EventLog, _ question: TranslationQuestion, _ answer: TranslationAnswer) {
        let name = ObjectIdentifier(log)
        asked.remove(Inquiry(log: name, question: question))
        tracks.learn(log, question, answer)
        for order in waiting.removeValue(forKey: name) ?? [] { read(order) }
    }
}

import Clocks
import EventHub
import EventLoop
internal import Projects

/// What a stream wants to have read.
struct ReadingOrder: Sendable {
    /// The stream's number, where it is read for.
    let stream: Int
    /// The project's; nil: all projects' events are read.
    let log: EventLog?
    var cursor: EventCursor
    /// What OpenCode's clients get behind a gap.
    let connected: [UInt8]
    /// Bytes that are wanted, about.
    let limit: Int
    /// Who gets what was read, where that is not there at once.
    let report: @Sendable (Reading) -> Void
}

/// What was read for a stream.
struct Reading: Sendable {
    let stream: Int
    let cursor: EventCursor
    let passage: EventPassage
}

/// Reads logs, and asks instances what their events don't say. Confined to one thread, which may wait for a disk.
final class EventReaderDesk {
    private struct Inquiry: Hashable {
        let log: ObjectIdentifier
        let question: TranslationQuestion
    }

    private var tracks = FormTracks()
    private let board: HubBoard
    private let hub: Mailbox<HubMessage>
    /// How an answer comes back to the thread, to ``answered(_:_:_:)``.
    var post: (@Sendable (EventLog, TranslationQuestion, TranslationAnswer) -> Void)?
    private var asked: Set<Inquiry> = []
    /// Who waits for an answer.
    private var waiting: [ObjectIdentifier: [ReadingOrder]] = [:]

    init(_ board: HubBoard, hub: Mailbox<HubMessage>) {
        self.board = board
        self.hub = hub
    }

    /// What is there at this moment; nil where an instance is asked first: then it is reported later.
    func read(_ order: ReadingOrder) -> Reading? {
        var cursor = order.cursor
        let passage: EventPassage
        if let log = order.log {
            passage =
                cursor.isFormed
                ? cursor.readFormed(
                    log, &tracks, atMost: order.limit, connected: order.connected, now: WallClock.milliseconds)
                : cursor.read(log, atMost: order.limit, connected: order.connected)
            if let question = passage.question, passage.bytes.isEmpty {
                wait(order, log, question)
                return nil
            }
        } else if let index = board.index {
            passage = cursor.readAll(index, &tracks, atMost: order.limit, now: WallClock.milliseconds) { name in
                ProjectName(name).flatMap { board.view($0)?.log }
            }
        } else {
            return nil
        }
        return Reading(stream: order.stream, cursor: cursor, passage: passage)
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
        for order in waiting.removeValue(forKey: name) ?? [] {
            if let reading = read(order) { order.report(reading) }
        }
    }
}

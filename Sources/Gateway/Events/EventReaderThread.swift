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
    private enum Message: Sendable {
        case read(ReadingOrder)
        case stop
    }

    private let mailbox: Mailbox<Message>
    private let thread: WorkerThread

    private struct Passage: @unchecked Sendable {  // handed over once, at the thread's start
        let loop: EventLoop
    }

    init(_ board: HubBoard) throws {
        let passage = Passage(loop: try EventLoop())
        let loop = passage.loop
        // The mailbox's own: it is called on the thread only.
        var tracks = FormTracks()
        mailbox = try loop.mailbox { [unowned loop] (message: Message) in
            switch message {
            case .read(let order): Self.read(order, &tracks, board)
            case .stop: loop.stop()
            }
        }
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

    private static func read(_ order: ReadingOrder, _ tracks: inout FormTracks, _ board: HubBoard) {
        var cursor = order.cursor
        let passage: EventPassage
        if let log = order.log {
            passage =
                cursor.isFormed
                ? cursor.readFormed(
                    log, &tracks, atMost: order.limit, connected: order.connected, now: WallClock.milliseconds)
                : cursor.read(log, atMost: order.limit, connected: order.connected)
        } else if let index = board.index {
            passage = cursor.readAll(index, atMost: order.limit) { name in
                ProjectName(name).flatMap { board.view($0)?.log }
            }
        } else {
            return
        }
        order.loop.post(.reading(Reading(stream: order.stream, cursor: cursor, passage: passage)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
import Locking
internal import Projects

/// The thread that reads logs for streams with a backlog. Such a read may wait for a disk. On a loop, the wait would
/// delay all other clients of the loop.
final class EventReaderThread: Sendable {
    fileprivate enum Message: Sendable {
        case read(EventReadRequest)
        case resolve([UInt8], report: @Sendable ([UInt8]) -> Void)
        case answered(EventLog, TranslationQuery, TranslationAnswer)
        case stop
    }

    private let mailbox: Mailbox<Message>
    private let thread: WorkerThread

    private struct Handover: @unchecked Sendable {  // The thread receives this value only once, when it starts.
        let loop: EventLoop
    }

    /// Starts the thread.
    ///
    /// - Parameter hub: Receives the queries to instances.
    init(_ snapshots: HubSnapshots, hub: Mailbox<HubMessage>, turnEnds: TurnEnds) throws {
        let handover = Handover(loop: try EventLoop())
        let loop = handover.loop
        // The mailbox owns the reader, and calls it only on this thread.
        let reader = EventLogReader(snapshots, hub: hub, turnEnds: turnEnds)
        mailbox = try loop.mailbox { [unowned loop] (message: Message) in
            switch message {
            case .read(let request): if let reading = reader.read(request) { request.report(reading) }
            case .resolve(let path, let report):
                report(FolderPath.resolved(String(decoding: path, as: UTF8.self)).map { Array($0.utf8) } ?? path)
            case .answered(let log, let query, let answer): reader.answered(log, query: query, answer: answer)
            case .stop: loop.stop()
            }
        }
        let mailbox = mailbox
        reader.post = { mailbox.post(.answered($0, $1, $2)) }
        thread = try WorkerThread(name: "event-reader") {
            try? handover.loop.run()
            handover.loop.releaseHandlers()
        }
    }

    /// Performs a read request, whose `report` receives the result.
    func read(_ request: EventReadRequest) { mailbox.post(.read(request)) }

    /// Resolves the symbolic links of an absolute path. If nothing exists at the path, reports the path
    /// unchanged, as OpenCode does.
    func resolve(_ path: [UInt8], report: @escaping @Sendable ([UInt8]) -> Void) {
        mailbox.post(.resolve(path, report: report))
    }

    /// Stops the thread and waits for its end. Call this method on another thread.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}

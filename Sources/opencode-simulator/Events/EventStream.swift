import TestKit

/// Writes one event stream: each event a chunk of its own, heartbeats between them, until the client has gone or it
/// ends.
struct EventStream {
    let connection: TestConnection
    let feed: EventFeed
    let subscription: EventSubscription
    let misbehaviour: MisbehaviourSwitch

    /// A reader may take its time: OpenCode waits for it without a limit.
    private static let patience: Duration = .seconds(86_400)

    /// Serves the stream; its head has been written.
    func run() throws {
        let (connection, subscription) = (connection, subscription)
        defer {
            feed.unsubscribe(subscription)
            // Nobody waits for what it will not write.
            subscription.leave()
        }
        let watcher = try TestThread {
            _ = try? connection.waitForEnd(within: EventStream.patience)
            subscription.leave()
        }
        defer {
            connection.close()
            watcher.join()
        }
        var nextBeat = Deadline(after: feed.interval)
        var owesBeat = feed.beatsAtOnce
        while true {
            // A busy stream has its heartbeats too.
            guard !nextBeat.hasPassed, let items = subscription.next(by: nextBeat) else {
                try write(feed.heartbeat())
                nextBeat = Deadline(after: feed.interval)
                continue
            }
            for item in items {
                switch item {
                case .frame(let frame):
                    try write(frame)
                    if owesBeat { try write(feed.heartbeat()) }
                    owesBeat = false
                case .gone: return
                case .end:
                    try connection.writeLastChunk()
                    return
                }
            }
        }
    }

    private func write(_ frame: String) throws {
        try misbehaviour.waitWhileWedged(connection)
        try connection.writeChunk(frame, within: EventStream.patience)
    }
}

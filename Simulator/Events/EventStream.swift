// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Writes one event stream until the stream ends or the client disconnects. Writes each event as a separate chunk, and
/// writes heartbeats between the events.
struct EventStream {
    let connection: TestConnection
    let feed: EventFeed
    let subscription: EventSubscription
    let misbehaviour: MisbehaviourSwitch

    /// The time limit for a slow reader. OpenCode itself has no time limit.
    private static let patience: Duration = .seconds(86_400)

    /// Writes the body of the stream. The head must already be written.
    func run() throws {
        let connection = connection
        let subscription = subscription
        defer {
            feed.unsubscribe(subscription)
            // Unblock the callers that wait for events to be written.
            subscription.cancel()
        }
        let watcher = try TestThread {
            _ = try? connection.waitForEnd(within: EventStream.patience)
            subscription.cancel()
        }
        defer {
            connection.close()
            watcher.join()
        }
        var nextBeat = Deadline(after: feed.interval)
        var owesBeat = feed.beatsAtOnce
        while true {
            // A busy stream also sends heartbeats, so check the time before the queue.
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

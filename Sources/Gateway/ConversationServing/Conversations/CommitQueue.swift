// SPDX-License-Identifier: Apache-2.0

import GatewayCore

/// The messages to clients that wait for the commit of earlier changes, in order. A message may confirm that a change
/// survives the end of the gateway, so the queue sends the message only after the commit.
struct CommitQueue {
    private var last = 0
    private var committed = 0
    private var lastAtTick = 0
    private var waiting: [(commit: Int, send: () -> Void)] = []

    /// Begins to wait for a commit. Returns the commit's number for ``committed(_:)``.
    mutating func startCommit() -> Int {
        last += 1
        return last
    }

    /// Sends immediately if no commit is pending, otherwise after the last pending commit.
    mutating func add(_ send: @escaping () -> Void) {
        if committed == last { send() } else { waiting.append((last, send)) }
    }

    /// Records that a commit and all commits before it have succeeded or failed. Sends the messages that
    /// waited for these commits.
    mutating func committed(_ commit: Int) {
        committed = max(committed, commit)
        let ready = waiting.prefix { $0.commit <= committed }
        waiting.removeFirst(ready.count)
        for item in ready { item.send() }
    }

    /// Sends the messages whose commits began before the previous tick, so that an unresponsive disk does
    /// not delay clients forever.
    mutating func tick() {
        committed(lastAtTick)
        lastAtTick = last
    }
}

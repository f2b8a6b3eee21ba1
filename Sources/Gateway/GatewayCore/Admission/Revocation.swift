// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import Locking
package import Logging

/// The numbers of operations that a change of the keys has aborted because they used a revoked key.
package struct RevocationCounts: Sendable, Equatable {
    /// The number of aborted requests in progress: streams, long polls, uploads, bridged requests and all others.
    package var requests = 0
    /// The number of closed terminals and other connections that have switched protocols.
    package var tunnels = 0
    /// The number of closed chats.
    package var chats = 0

    /// Creates counts whose values are all zero.
    package init() {}

    static func += (left: inout RevocationCounts, right: RevocationCounts) {
        left.requests += right.requests
        left.tunnels += right.tunnels
        left.chats += right.chats
    }
}

/// The total number of operations that the loops have aborted after one reload. The report logs the total after all
/// loops have added their counts.
package final class RevocationReport: Sendable {
    private struct State {
        var missing: Int
        var counts = RevocationCounts()
    }

    private let state: Locked<State>
    private let log: Logger
    private let completion: (@Sendable () -> Void)?

    /// Creates a report for this number of loops.
    ///
    /// - Parameter completion: Called after all loops have added their counts.
    package init(loops: Int, log: Logger, completion: (@Sendable () -> Void)? = nil) {
        state = Locked(State(missing: loops))
        self.log = log
        self.completion = completion
    }

    /// Adds the counts of one loop.
    func add(_ counts: RevocationCounts) {
        let sum: RevocationCounts? = state.withLock { state in
            state.counts += counts
            state.missing -= 1
            return state.missing == 0 ? state.counts : nil
        }
        guard let sum else { return }
        if sum != RevocationCounts() {
            log.notice(
                "requests with a revoked key aborted", LogField("requests", .integer(sum.requests)),
                LogField("tunnels", .integer(sum.tunnels)), LogField("chats", .integer(sum.chats)))
        }
        completion?()
    }
}

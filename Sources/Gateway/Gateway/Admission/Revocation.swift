// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import Locking
import Logging

/// The numbers of operations that a reload has aborted because they used a revoked key.
struct RevocationCounts: Sendable, Equatable {
    /// Requests in progress: streams, long polls, uploads, bridged requests and all others.
    var requests = 0
    /// Terminals and other connections that have switched protocols.
    var tunnels = 0
    var chats = 0

    static func += (left: inout RevocationCounts, right: RevocationCounts) {
        left.requests += right.requests
        left.tunnels += right.tunnels
        left.chats += right.chats
    }
}

/// The sum of the operations that each loop has aborted after one reload. It is logged once all loops have reported.
final class RevocationReport: Sendable {
    private struct State {
        var missing: Int
        var counts = RevocationCounts()
    }

    private let state: Locked<State>
    private let log: Logger

    init(loops: Int, log: Logger) {
        state = Locked(State(missing: loops))
        self.log = log
    }

    /// Adds the counts of one loop.
    func add(_ counts: RevocationCounts) {
        let sum: RevocationCounts? = state.withLock { state in
            state.counts += counts
            state.missing -= 1
            return state.missing == 0 ? state.counts : nil
        }
        guard let sum, sum != RevocationCounts() else { return }
        log.notice(
            "requests with a revoked key aborted", LogField("requests", .integer(sum.requests)),
            LogField("tunnels", .integer(sum.tunnels)), LogField("chats", .integer(sum.chats)))
    }
}

extension GatewayLoop {
    /// Aborts the operations whose keys are not in `keys`. The client sees no clean end, and a reconnect fails.
    ///
    /// It iterates over everything in progress, so it is called only if a key was removed.
    func abortRevoked(under keys: KeyTable) -> RevocationCounts {
        func isRevoked(_ principal: Principal?) -> Bool { principal.map { !keys.holdsKey(of: $0) } ?? false }
        var counts = RevocationCounts()
        counts.requests =
            server?.cutRequests { context in
                guard let request = context as? RequestContext, !request.opensChat else { return false }
                return isRevoked(request.principal)
            } ?? 0
        let tunnels = streams.values.compactMap { ($0 as? ProxyExchange)?.tunnel }.filter { isRevoked($0.principal) }
        for tunnel in tunnels { tunnel.close() }
        counts.tunnels = tunnels.count
        let sockets = chats.values.filter { isRevoked($0.principal) }
        for socket in sockets { socket.revoke() }
        counts.chats = sockets.count
        return counts
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPServer
import Logging

/// The counts of one loop's requests. The loop counts requests even if the access log is off.
package struct RequestCounts: Sendable, Equatable {

    /// Creates counters with the value 0.
    package init() {}
    /// The number of requests that have ended, with or without a response.
    package private(set) var requests: UInt64 = 0
    /// The number of requests whose response had a status of 500 or above.
    package private(set) var serverErrors: UInt64 = 0
    /// The number of clients that were rejected.
    package private(set) var rejected: UInt64 = 0

    /// Counts a request that ended with this status, or with 0 if there was no response.
    mutating func add(_ status: Int) {
        requests &+= 1
        if status >= 500 { serverErrors &+= 1 }
    }

    mutating func addRejected() { rejected &+= 1 }

    /// Adds the counts of another loop.
    package static func += (left: inout RequestCounts, right: RequestCounts) {
        left.requests &+= right.requests
        left.serverErrors &+= right.serverErrors
        left.rejected &+= right.rejected
    }
}

extension RejectedClient {
    /// The reason and its details, as log fields.
    var fields: [LogField] {
        switch self {
        case .lateRequest: [LogField("reason", "late_request")]
        case .lateReader: [LogField("reason", "unread_answer")]
        case .stalledReader(let time): [LogField("reason", "stalled_stream"), LogField("limit_ms", .duration(time))]
        case .slowReader(let waiting): [LogField("reason", "slow_stream"), LogField("waiting_bytes", waiting)]
        case .slowChat(let waiting): [LogField("reason", "slow_chat"), LogField("waiting_bytes", waiting)]
        case .silentChat(let time): [LogField("reason", "silent_chat"), LogField("limit_ms", .duration(time))]
        case .refusedHead(let status): [LogField("reason", "refused_head"), LogField("status", status)]
        case .madeRoom: [LogField("reason", "room_for_another")]
        case .longChunkLine: [LogField("reason", "long_chunk_line")]
        case .malformedHead: [LogField("reason", "malformed_head")]
        case .noRoom(let limit): [LogField("reason", "too_many_connections"), LogField("limit", limit)]
        case .notAccepted(let code):
            [LogField("reason", "accept_failed"), LogField("error", String(cString: strerror(code)))]
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPServer

/// The number of requests of one loop, independent of the log.
struct RequestCounts: Sendable, Equatable {
    /// The number of requests that have ended, answered or not.
    private(set) var requests: UInt64 = 0
    /// The number of these requests that were answered with a status of 500 or above.
    private(set) var serverErrors: UInt64 = 0
    /// The number of clients that were rejected.
    private(set) var turnedAway: UInt64 = 0

    /// Counts a request that ended with this status, or with 0 for no answer.
    mutating func add(_ status: Int) {
        requests &+= 1
        if status >= 500 { serverErrors &+= 1 }
    }

    mutating func addTurnedAway() { turnedAway &+= 1 }

    /// Adds the counts of another loop.
    static func += (left: inout RequestCounts, right: RequestCounts) {
        left.requests &+= right.requests
        left.serverErrors &+= right.serverErrors
        left.turnedAway &+= right.turnedAway
    }
}

extension RejectedClient {
    /// The reason for the log.
    var sentence: String {
        switch self {
        case .lateRequest: "the request did not arrive in time"
        case .lateReader: "the client took no byte of its answer in time"
        case .stalledReader(let time):
            "it took nothing of its event stream for \(time.plainText) (--stream-stall)"
        case .slowReader(let waiting):
            "the client read too slowly: \(waiting) bytes of its event stream were waiting"
        case .slowChat(let waiting): "it read too slowly: \(waiting) bytes of its chat were waiting"
        case .silentChat(let time): "it answered no ping of its chat for \(time.plainText)"
        case .refusedHead(let status): "the request's head was refused with \(status)"
        case .madeRoom:
            "another client needed room, and no valid key had come on this oldest such connection (--max-connections)"
        case .longChunkLine: "a line of the request's chunked body was too long"
        case .malformedHead: "the request's head was malformed or too large"
        case .noRoom(let limit):
            "\(limit) connections are open on this loop (--max-connections): further ones have to wait"
        case .notAccepted(let code): "no connection can be accepted: \(String(cString: strerror(code)))"
        }
    }
}

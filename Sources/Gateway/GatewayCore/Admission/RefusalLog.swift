// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import HTTPServer
import Logging

/// The log of one loop for clients without a valid key. The log limits the number of lines for each client and counts
/// the omitted lines.
final class RefusalLog: TimerHandler {
    /// The interval at which omitted lines are reported.
    private static let gathering = Duration.seconds(10)

    private unowned let loop: EventLoop
    private let log: Logger
    private var limiter = RefusalLogLimiter()
    private var timer: LoopTimer?

    init(_ loop: EventLoop, _ log: Logger) {
        self.loop = loop
        self.log = log
    }

    /// Returns whether to log a line about this client. Counts the line as omitted if the result is false.
    func admits(_ client: IPAddress?) -> Bool {
        guard !limiter.admits(client, at: .nanoseconds(loop.now.nanoseconds)) else { return true }
        if timer == nil {
            let timer = loop.pooledTimer(self)
            self.timer = timer
            loop.arm(timer, after: Self.gathering)
        }
        return false
    }

    func timerFired(_ timer: LoopTimer) {
        loop.release(timer)
        self.timer = nil
        report()
    }

    /// Logs the number of omitted lines.
    func report() {
        for omission in limiter.takeOmissions() {
            log.warning(
                "log lines about refused requests omitted",
                LogField("client", omission.client?.description ?? "others"),
                LogField("count", .integer(omission.count)))
        }
    }
}

extension RejectedClient {
    /// Whether only an admitted client can be rejected for this reason.
    var isOfAdmitted: Bool {
        switch self {
        case .stalledReader, .slowReader, .slowChat, .silentChat: true
        case .lateRequest, .lateReader, .refusedHead, .longChunkLine, .malformedHead, .madeRoom, .noRoom, .notAccepted:
            false
        }
    }
}

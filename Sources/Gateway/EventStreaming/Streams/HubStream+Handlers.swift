// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPServer

extension HubStream: OpenStream {
    func breakOff() {
        guard !isEnded else { return }
        client?.breakOff()
        end()
    }
}

extension HubStream: ServerExchange {
    func requestBodyArrived() {}

    /// Resumes the stream, because the client accepts bytes again.
    func resumeResponse() {
        guard isBlocked, !isEnded else { return }
        isBlocked = false
        read()
        rearm()
    }

    func clientGone() { end() }
}

extension HubStream: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        let now = events.owner.loop.now
        if isBlocked {
            if watch.isOver(held: client?.unacknowledgedBytes ?? 0, at: now) {
                if let client { events.owner.turnedAway(client.peer, .stalledReader(stall)) }
                return breakOff()
            }
        } else {
            if newsWaits || (wake.map { $0 <= now } ?? false) { read() }
            if beats {
                if now - lastHeartbeat >= commentInterval {
                    lastHeartbeat = now
                    if cursor.isBetweenFrames { write(StreamHead.heartbeat(shape, cursor.last)) }
                }
            } else if now - lastSent >= commentInterval {
                // OpenCode's own streams contain its heartbeats. Only a long replay contains none of them,
                // and so needs comments.
                follow()
                // The remainder of a frame that was sent in part comes before anything else.
                if !isPlain || isReading, cursor.isBetweenFrames {
                    write(StreamHead.comment(isPlain ? nil : cursor.last))
                }
                lastSent = now
            }
        }
        rearm()
    }
}

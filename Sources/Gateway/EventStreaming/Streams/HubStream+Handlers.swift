// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPServer

extension HubStream: OpenStream {
    func abort() {
        guard !state.isEnded else { return }
        client?.abort()
        close()
    }
}

extension HubStream: ServerExchange {
    func requestBodyArrived() {}

    /// Resumes the stream when the client accepts bytes again.
    func resumeResponse() {
        guard state.unblock() else { return }
        readEvents()
        rearm()
    }

    func clientDisconnected() { close() }
}

extension HubStream: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        for action in state.timePassed(at: events.owner.loop.now, unacknowledged: client?.unacknowledgedBytes ?? 0) {
            switch action {
            case .endStalled:
                if let client { events.owner.rejected(client.peer, .stalledReader(stall)) }
                return abort()
            case .read: sendReadRequest()
            // Send a heartbeat or a comment only between frames. Between the parts of a frame, it
            // would corrupt the frame.
            case .sendHeartbeat: if cursor.isBetweenFrames { write(StreamHead.heartbeat(shape, cursor.last)) }
            case .sendComment:
                follow()
                if cursor.isBetweenFrames { write(StreamHead.comment(isPlain ? nil : cursor.last)) }
            }
        }
        rearm()
    }
}

// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer

/// A periodic check for clients that have vanished while bytes for them are unacknowledged.
final class LostPeerWatch: TimerHandler {
    private unowned let owner: GatewayLoop
    private var timer: LoopTimer?

    init(_ owner: GatewayLoop) {
        self.owner = owner
        let timer = owner.loop.timer(self)
        self.timer = timer
        owner.loop.arm(timer, after: owner.snapshot.policy.limits.peerLoss.checkInterval)
    }

    func timerFired(_ timer: LoopTimer) {
        let loss = owner.snapshot.policy.limits.peerLoss
        owner.endLostClients(by: loss)
        owner.loop.arm(timer, after: loss.checkInterval)
    }
}

extension GatewayLoop {
    fileprivate func endLostClients(by loss: PeerLoss) {
        clients.server?.disconnectLost(by: loss)
        forEachFeature { $0.endLostClients(by: loss) }
    }
}

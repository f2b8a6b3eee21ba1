// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@Suite("Detection of vanished peers")
struct PeerLossTests {
    @Test(arguments: [1, 2, 5, 10, 30, 60, 61, 900, 3_600, 32_767])
    func `the kernel drops a silent peer after the limit and at most one more probe`(seconds: Int) {
        let loss = PeerLoss(limit: .seconds(seconds))
        // The kernel probes after the idle time, and ends the connection one interval after the last probe.
        let lost = Int(loss.idle) + Int(loss.interval) * Int(loss.probes)

        #expect(lost >= seconds)
        #expect(lost <= max(seconds + Int(loss.interval), 4))
    }

    @Test func `limits above the kernel's maximum are reduced to this maximum`() {
        #expect(PeerLoss(limit: .seconds(86_400 * 365)) == PeerLoss(limit: .seconds(32_767)))
        #expect(PeerLoss(limit: .milliseconds(1)) == PeerLoss(limit: .seconds(1)))
    }
}

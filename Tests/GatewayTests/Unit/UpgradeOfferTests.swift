// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestThreads
import Testing

@testable import Proxying

@Suite("Forwarding of Upgrade fields", .onTestThreads)
struct UpgradeOfferTests {
    @Test(
        arguments: [["websocket"], ["h2c, WebSocket"], ["h2c", "websocket"], ["websocket/13, websocket"]])
    func `only WebSocket is offered to the instance, even if the client offers other protocols`(offers: [String]) {
        let head = RequestHead()
        head.fields.append("Connection", "Upgrade")
        for offer in offers { head.fields.append("Upgrade", offer) }

        #expect(RequestForwarding.wantsUpgrade(head))

        let fields = RequestForwarding.fields(of: head, from: [], isTrusted: false, authorization: nil, isUpgrade: true)
        let passed = (0..<fields.count).filter { fields.knownName(at: $0) == .upgrade }.map { fields.value(at: $0) }

        #expect(passed == [Array("websocket".utf8)[...]])
    }
}

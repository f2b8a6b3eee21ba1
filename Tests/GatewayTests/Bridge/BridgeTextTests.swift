// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// JSON between systems is encoded as UTF-8 (RFC 8259 §8.1).
@Suite(.onTestThreads) struct BridgeTextTests {
    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `a translated prompt that is not UTF-8 is rejected and not forwarded`(bytes: [UInt8]) throws {
        let fixture = try BridgeFixture()
        let session = try fixture.session()
        let (start, end) = (#"{"parts":[{"type":"text","text":"a"#, #"b"}]}"#)

        let answer = try fixture.gateway.request(
            "POST", "/projects/demo/api/session/\(session)/message", headers: [("Content-Type", "application/json")],
            body: Array(start.utf8) + bytes + Array(end.utf8), within: .seconds(60))

        #expect(answer.status == 400)
        #expect(answer.json["name"]?.text == "BadRequest")
        #expect(answer.json["detail"]?.text == "The body is not encoded as UTF-8. Send JSON in UTF-8.")
        #expect(try fixture.messages(session).isEmpty)
    }
}

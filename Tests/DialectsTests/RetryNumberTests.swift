// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

@Suite struct RetryNumberTests {
    /// The model's provider does not control this number, but the gateway must not depend on that, because it subtracts
    /// 1 from the number.
    @Test(arguments: ["-9223372036854775808", "0", "-1", "9223372036854775807"])
    func `a retry with an invalid number is translated`(attempt: String) {
        var stream = StreamRuleTests.Stream()
        stream.step("msg_20")

        let retry = stream.reported(
            "session.retry.scheduled",
            #"""
            "assistantMessageID":"msg_20","attempt":\#(attempt),"at":99,"error":{"type":"provider.rate-limit",\#
            "message":"slow down"}
            """#
        )

        #expect(retry.first?["properties"]?["status"]?["type"] == "retry")
    }
}

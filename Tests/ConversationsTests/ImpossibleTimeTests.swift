// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Conversations

@Suite struct ImpossibleTimeTests {
    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e300", "-1e300", "1e15",
    ])
    func `an invalid time in OpenCode's response is read as 0`(text: String) {
        #expect(Number(text: text).milliseconds == 0)
    }

    @Test func `a valid time keeps its value`() {
        #expect(Number(text: "1795381944461").milliseconds == 1_795_381_944_461)
    }
}

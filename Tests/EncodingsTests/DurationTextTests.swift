// SPDX-License-Identifier: Apache-2.0

import Encodings
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        (0, "0ms"), (500, "500ms"), (1_500, "1500ms"), (90_000, "90s"), (900_000, "15min"), (3_600_000, "1h"),
        (86_400_000, "24h"), (129_600_000, "36h"), (172_800_000, "2d"),
    ])
    func `a setting's duration is written in the largest unit without a fraction`(milliseconds: Int, text: String) {
        #expect(Duration.milliseconds(milliseconds).text(.setting) == text)
    }

    @Test func `a duration in a message for people is written in seconds`() {
        #expect(Duration.seconds(30).text(.seconds) == "30 s")
        #expect(Duration.milliseconds(500).text(.seconds) == "0.5 s")
        #expect(Duration.zero.text(.seconds) == "0 s")
    }

    @Test(arguments: [
        (Duration.zero, "0.000"), (.microseconds(12_345), "12.345"), (.milliseconds(7), "7.000"),
        (.seconds(-1), "0.000"),
        (.nanoseconds(1_999), "0.001"),
    ])
    func `a duration in milliseconds has three decimals`(duration: Duration, text: String) {
        var bytes: [UInt8] = []
        bytes.append(milliseconds: duration)

        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
}

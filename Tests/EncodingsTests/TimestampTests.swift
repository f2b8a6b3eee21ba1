// SPDX-License-Identifier: Apache-2.0

import Encodings
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_294_023_500_000_000, "2026-11-21T20:47:03.500Z"),
            (951_782_400_999_999_999, "2000-02-29T00:00:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `a time is written as an RFC 3339 timestamp in UTC`(nanoseconds: Int64, text: String) {
        #expect(Timestamp.utc(nanoseconds, withMilliseconds: true) == text)
        #expect(Timestamp.utc(nanoseconds) == text.prefix(19) + "Z")
    }

    @Test func `a timestamp agrees with Foundation's ISO 8601 format`() {
        for day in stride(from: Int64(-40_000), to: 80_000, by: 97) {
            let seconds = day * 86_400 + day
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(Timestamp.utc(seconds * 1_000_000_000) == date.formatted(.iso8601))
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (.max, "2262-04-11T23:47:16Z"), (.min, "1677-09-21T00:12:43Z"),
        ] as [(Int64, String)])
    func `a time in milliseconds that is out of range for nanoseconds becomes the nearest valid time`(
        milliseconds: Int64, text: String
    ) {
        #expect(Timestamp.utc(milliseconds: milliseconds) == text)
    }

    @Test func `the wall clock agrees with Foundation's clock`() {
        let before = Date.now.timeIntervalSince1970
        let now = Double(WallClock.nanoseconds()) / 1e9

        #expect(now >= before - 0.001)
        #expect(now <= Date.now.timeIntervalSince1970 + 0.001)
    }
}

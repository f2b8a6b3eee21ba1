// SPDX-License-Identifier: Apache-2.0

import Encodings
import Testing

@Suite struct RFC3339Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-22T20:42:26.528Z", 1_795_380_146_528),
        ("2026-11-22t21:42:26.5281234+01:00", 1_795_380_146_528), ("2026-11-22 15:12:26.5-05:30", 1_795_380_146_500),
        ("2024-02-29T12:00:00Z", 1_709_208_000_000), ("2016-12-31T23:59:60Z", 1_483_228_799_000),
        ("1969-12-31T23:59:59Z", -1_000), ("2026-11-22T21:42:26 01:00", 1_795_380_146_000),
    ]) func `each RFC 3339 timestamp is parsed to milliseconds since the epoch`(text: String, milliseconds: Int64) {
        #expect(RFC3339.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "now", "2026-11-22", "2026-11-22T20:42:26", "2026-13-22T20:42:26Z", "2026-02-29T20:42:26Z",
        "2026-11-22T24:00:00Z", "2026-11-22T20:60:00Z", "2026-11-22T20:42:26.Z", "2026-11-22T20:42:26+1:00",
        "2026-11-22T20:42:26Zz", "2026-1-22T20:42:26Z ", "20261122T204226Z00000",
    ]) func `each malformed timestamp is rejected`(text: String) { #expect(RFC3339.milliseconds(text) == nil) }

    @Test func `a written timestamp is parsed to the same time`() {
        for moment: Int64 in [0, 951_782_399_000, 951_782_400_123, 4_107_542_399_999] {
            #expect(RFC3339.milliseconds(Timestamp.utc(moment * 1_000_000, withMilliseconds: true)) == moment)
        }
    }
}

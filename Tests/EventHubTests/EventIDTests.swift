// SPDX-License-Identifier: Apache-2.0

import EventHub
import Testing

@Suite struct EventIDTests {
    private func parsed(_ text: String) -> EventID? { EventID(Array(text.utf8).span) }

    @Test func `an event id is parsed as it was written`() {
        for id in [
            EventID(generation: 0, sequence: 0), EventID(generation: 1_795_381_944_461, sequence: 12),
            EventID(generation: .max, sequence: .max, frame: .max), EventID(generation: 3, sequence: 10, frame: 4),
        ] { #expect(parsed(id.text) == id) }

        #expect(EventID(generation: 3, sequence: 10, frame: 4).text == "3-10.4")
    }

    @Test(arguments: [
        "", "-", "1", "1-", "-1", "1-2.", "1-2.0", "01-2", "1-02", "1-2.03", "1-2.4294967296", "1-2 ", " 1-2", "+1-2",
        "18446744073709551616-1", "1-2-3", "1-2.3.4", "a-b", "1-2.x", "99999999999999999999-1",
    ]) func `each malformed event id is rejected`(text: String) { #expect(parsed(text) == nil) }

    @Test func `event ids are ordered by generation, sequence and frame`() {
        let ordered = ["1-1", "1-1.1", "1-1.2", "1-2", "2-1", "10-1"].compactMap(parsed)

        #expect(ordered == ordered.shuffled().sorted())
        #expect(ordered.count == 6)
    }
}

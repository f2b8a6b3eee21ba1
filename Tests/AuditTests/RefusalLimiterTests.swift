// SPDX-License-Identifier: Apache-2.0

import Addresses
import Audit
import Testing

/// Tests the limits for entries about refused requests.
@Suite struct RefusalLimiterTests {
    private var limiter = RefusalLimiter()

    private static func client(_ number: Int) -> IPAddress? { IPAddress("192.0.2.\(number)") }

    @Test mutating func `a client may cause 20 entries at once, and then one a minute`() {
        let burst = (1...30).count { _ in limiter.admits(Self.client(1), at: .zero) }
        let omitted = [limiter.takeOmitted(), limiter.takeOmitted()]
        let later = [59, 61, 62].map { limiter.admits(Self.client(1), at: .seconds($0)) }
        let other = limiter.admits(Self.client(2), at: .seconds(62))

        #expect(burst == 20)
        #expect(omitted == [10, 0])
        #expect(later == [false, true, false])
        #expect(other)
    }

    @Test mutating func `all clients together may cause 200 entries at once, and then one every 10 s`() {
        let burst = (1...100).reduce(0) { sum, number in
            sum + (1...10).count { _ in limiter.admits(Self.client(number), at: .zero) }
        }
        let omitted = limiter.takeOmitted()
        let day = (1...86_400).count { limiter.admits(Self.client($0 % 250), at: .seconds($0)) }

        #expect(burst == 200)
        #expect(omitted == 800)
        #expect((8_640...8_641).contains(day))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import Testing

@Suite("Limits for log lines about refused clients")
struct RefusalLogLimiterTests {
    private static let client = IPAddress("192.0.2.1")

    /// Returns the number of lines, out of `count`, that are logged at that moment.
    private func written(
        _ limiter: inout RefusalLogLimiter, _ count: Int, by client: IPAddress? = client, at now: Duration = .zero
    ) -> Int {
        (0..<count).count { _ in limiter.admits(client, at: now) }
    }

    @Test func `a burst of lines is written, then one line in each interval, and omitted lines are counted`() {
        var limiter = RefusalLogLimiter()

        #expect(written(&limiter, 250) == RefusalLogLimiter.burst)
        #expect(limiter.takeOmissions() == [.init(client: Self.client, count: 150)])
        #expect(written(&limiter, 10, at: RefusalLogLimiter.interval * 3) == 3)
        #expect(limiter.takeOmissions() == [.init(client: Self.client, count: 7)])
        #expect(!limiter.hasOmissions)
    }

    @Test func `one client's flood does not hide another's lines`() {
        var limiter = RefusalLogLimiter()

        #expect(written(&limiter, 1_000) == RefusalLogLimiter.burst)
        #expect(written(&limiter, 10, by: IPAddress("192.0.2.2")) == 10)
    }

    @Test func `an IPv6 client is identified by its network`() {
        var limiter = RefusalLogLimiter()

        let first = written(&limiter, RefusalLogLimiter.burst, by: IPAddress("2001:db8::1"))
        let second = written(&limiter, 10, by: IPAddress("2001:db8::2"))

        #expect(first == RefusalLogLimiter.burst)
        #expect(second == 0)
    }

    @Test func `the counters of omitted lines use bounded memory for many clients`() {
        var limiter = RefusalLogLimiter()
        for number in 0..<1_000 {
            _ = written(
                &limiter, RefusalLogLimiter.burst + 1, by: IPAddress("10.0.\(number / 250).\(number % 250)"))
        }

        let omissions = limiter.takeOmissions()

        #expect(omissions.count <= RefusalLogLimiter.mostClients + 1)
        #expect(omissions.map(\.count).reduce(0, +) == 1_000)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@testable import Access

@Suite("Limits for tries with wrong keys")
struct FailureLimiterTests {
    private static let rate = FailureLimiter.Rate(burst: 3, interval: .seconds(6))
    private var limiter = FailureLimiter()
    private let attacker = Self.address("203.0.113.9")

    private static func address(_ text: String) -> IPAddress {
        guard let address = IPAddress(text) else { preconditionFailure("no address: \(text)") }
        return address
    }

    private mutating func fail(_ address: IPAddress, at seconds: Double) -> FailureLimiter.Failure {
        limiter.failed(address, at: .seconds(seconds), Self.rate)
    }

    private mutating func wait(_ address: IPAddress, at seconds: Double) -> Duration? {
        limiter.wait(for: address, at: .seconds(seconds), Self.rate)
    }

    @Test mutating func `after a burst, each further wrong key is rejected until an interval has passed`() {
        #expect(wait(attacker, at: 100) == nil)
        #expect(fail(attacker, at: 100) == .counted(isReport: false))
        #expect(fail(attacker, at: 100) == .counted(isReport: false))
        #expect(wait(attacker, at: 100) == nil)
        #expect(fail(attacker, at: 100) == .counted(isReport: true))
        #expect(fail(attacker, at: 100) == .refused(retryAfter: .seconds(6)))

        #expect(wait(attacker, at: 102) == .seconds(4))
        #expect(fail(attacker, at: 105.5) == .refused(retryAfter: .milliseconds(500)))

        #expect(wait(attacker, at: 106) == nil)
        #expect(fail(attacker, at: 106) == .counted(isReport: false))
        #expect(fail(attacker, at: 106) == .refused(retryAfter: .seconds(6)))
    }

    @Test mutating func `over a long time one wrong key is counted per interval, regardless of the number of attempts`()
    {
        var counted = 0
        for tenth in 0..<36_000 {
            if case .counted = fail(attacker, at: Double(tenth) / 10) { counted += 1 }
        }

        #expect(counted == 3 + 599)
    }

    @Test mutating func `an address that pauses regains its whole burst and is reported again`() {
        for _ in 0..<3 { _ = fail(attacker, at: 0) }

        #expect(wait(attacker, at: 1) != nil)

        for expected in [false, false, true] { #expect(fail(attacker, at: 18) == .counted(isReport: expected)) }

        #expect(fail(attacker, at: 18) == .refused(retryAfter: .seconds(6)))
    }

    @Test mutating func `an ongoing series of wrong keys from one address is reported once`() {
        var reports = 0
        for second in 0..<600 {
            if case .counted(true) = fail(attacker, at: Double(second)) { reports += 1 }
        }

        #expect(reports == 1)
    }

    @Test
    mutating func `for a day after a valid key, keys from its address are checked even after too many wrong ones`() {
        limiter.succeeded(attacker, at: .seconds(0))
        for _ in 0..<3 { _ = fail(attacker, at: 10) }

        #expect(fail(attacker, at: 10) == .refused(retryAfter: .seconds(6)))
        #expect(wait(attacker, at: 10) == nil)

        // The attack lasts for more than a day.
        for _ in 0..<3 { _ = fail(attacker, at: 86_399) }

        #expect(wait(attacker, at: 86_399) == nil)
        #expect(wait(attacker, at: 86_400) != nil)
    }

    @Test mutating func `a valid key does not refill the bucket of its address`() {
        for _ in 0..<3 { _ = fail(attacker, at: 0) }
        limiter.succeeded(attacker, at: .seconds(1))

        #expect(fail(attacker, at: 1) == .refused(retryAfter: .seconds(5)))
        #expect(wait(attacker, at: 1) == nil)
    }

    @Test mutating func `each IPv4 address and each IPv6 /64 network has its own bucket`() {
        for _ in 0..<3 { _ = fail(attacker, at: 0) }

        #expect(wait(Self.address("203.0.113.8"), at: 0) == nil)
        #expect(wait(Self.address("::ffff:203.0.113.9"), at: 0) != nil)

        for host in 1...3 { _ = fail(Self.address("2001:db8:0:1::\(host)"), at: 0) }

        #expect(wait(Self.address("2001:db8:0:1:ffff:ffff:ffff:ffff"), at: 0) != nil)
        #expect(wait(Self.address("2001:db8:0:2::1"), at: 0) == nil)
    }

    @Test(
        arguments: ["127.0.0.1", "::1"])
    mutating func `keys from each loopback address are checked even after too many wrong ones`(text: String) {
        let proxy = Self.address(text)
        for _ in 0..<3 { _ = fail(proxy, at: 0) }

        #expect(fail(proxy, at: 0) == .refused(retryAfter: .seconds(6)))
        #expect(wait(proxy, at: 0) == nil)
    }

    @Test mutating func `a burst of 0 disables the limit`() {
        let off = FailureLimiter.Rate(burst: 0, interval: .seconds(6))
        for _ in 0..<100 { #expect(limiter.failed(attacker, at: .zero, off) == .counted(isReport: false)) }

        #expect(limiter.wait(for: attacker, at: .zero, off) == nil)
    }

    @Test mutating func `a burst of 1 allows one wrong key per interval`() {
        let one = FailureLimiter.Rate(burst: 1, interval: .seconds(2))

        #expect(limiter.failed(attacker, at: .zero, one) == .counted(isReport: true))
        #expect(limiter.failed(attacker, at: .seconds(1), one) == .refused(retryAfter: .seconds(1)))
        // The bucket is full again after the interval.
        #expect(limiter.failed(attacker, at: .seconds(2), one) == .counted(isReport: true))
    }

    @Test mutating func `a flood of addresses does not evict an address that keeps failing`() {
        var limiter = FailureLimiter(capacity: 100)
        for number in 0..<10_000 {
            let address = Self.address("2001:db8:\(String(number, radix: 16))::1")
            _ = limiter.failed(address, at: .zero, Self.rate)
            if number % 50 == 0 { for _ in 0..<3 { _ = limiter.failed(attacker, at: .zero, Self.rate) } }
        }

        #expect(limiter.wait(for: attacker, at: .zero, Self.rate) != nil)
    }
}

@Suite("A table that drops its oldest entries")
struct RecentTableTests {
    @Test func `the table keeps its newest entries up to its capacity, and at most twice as many in total`() {
        var table = RecentTable<Int, Int>(capacity: 10)
        for key in 0..<1000 {
            table[key] = key
            #expect(table.count <= 20)
            for recent in max(0, key - 9)...key { #expect(table[recent] == recent) }
        }

        #expect(table[979] == nil)
    }

    @Test func `an entry that is written again stays in the table`() {
        var table = RecentTable<Int, Int>(capacity: 10)
        for key in 0..<1000 {
            table[key] = key
            table[-1] = key
            #expect(table[-1] == key)
        }

        #expect(table.count <= 20)
    }
}

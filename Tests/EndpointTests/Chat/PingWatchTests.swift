// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConversationServing

/// Tests the time after which a chat's client counts as disconnected.
@Suite struct PingWatchTests {
    @Test func `a client is pinged again after each pong and is disconnected if it sends no pong`() {
        var watch = PingWatch()
        for _ in 0..<3 {
            #expect(watch.tick(isBlocked: false) == .ping)
            watch.received()
        }

        #expect(watch.tick(isBlocked: false) == .ping)
        #expect(watch.tick(isBlocked: false) == .disconnect)
    }

    @Test func `receipt of the ping alone does not count as a pong`() {
        var watch = PingWatch()

        #expect(watch.tick(isBlocked: false) == .ping)

        watch.sent()

        #expect(watch.tick(isBlocked: false) == .disconnect)
    }

    @Test func `a client that keeps reading its backlog needs no ping`() {
        var watch = PingWatch()

        #expect(watch.tick(isBlocked: false) == .ping)

        for _ in 0..<3 {
            watch.sent()
            #expect(watch.tick(isBlocked: true) == .wait)
        }

        #expect(watch.tick(isBlocked: true) == .disconnect)
    }
}

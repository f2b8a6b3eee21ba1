// SPDX-License-Identifier: Apache-2.0

import Addresses
import Encodings
import Instances
import Logging
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests that the port is known at most 100 ms after the banner was printed, because the output wakes the control loop.
@Suite struct AnnouncementLatencyTests {
    @Test func `the port is known within 100 ms of its announcement`() async throws {
        let fixture = try await RegistryFixture(
            script: "sleep 0.05; date +%s%N >../printed\n"
                + "echo 'opencode server listening on http://127.0.0.1:4096'\nexec sleep 1000")
        var medians: [Duration] = []
        // Make up to eight attempts, because other programs may use the machine for some time.
        while medians.count < 8, medians.last.map({ $0 > .milliseconds(100) }) ?? true {
            medians.append(try await median(fixture))
        }

        #expect(medians.contains { $0 <= .milliseconds(100) }, "\(medians)")

        await fixture.tearDown()
    }

    /// Returns the median time until the port was known, of five starts.
    private func median(_ fixture: RegistryFixture) async throws -> Duration {
        var latencies: [Duration] = []
        for _ in 0..<5 {
            async let start = fixture.registry.start(.alpha)
            #expect(await fixture.table { $0.route(to: .alpha)?.state == .probing(address: .loopback(4096)) } != nil)
            let known = WallClock.nanoseconds()
            let printed = try #require(Int64(try fixture.home.readFile("printed").dropLast()))
            latencies.append(.nanoseconds(known - printed))
            #expect(await start == .started(address: .loopback(4096)))
            #expect(await fixture.registry.stop(.alpha) == .stopped)
        }
        return latencies.sorted()[2]
    }
}

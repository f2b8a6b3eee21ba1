import Instances
import Logging
import Testing

/// The port is known at most 100 ms after the banner was printed: its arrival wakes the control loop.
@Suite struct AnnouncementLatencyTests {
    @Test func thePortIsKnownAtOnce() async throws {
        let rig = try await RegistryRig(
            script: "sleep 0.05; date +%s%N >../printed\n"
                + "echo 'opencode server listening on http://127.0.0.1:4096'\nexec sleep 1000")
        var latencies: [Duration] = []
        for _ in 0..<5 {
            async let start = rig.registry.start(.alpha)
            #expect(await rig.table { $0.route(to: .alpha)?.state == .probing(port: 4096) } != nil)
            let known = WallClock.nanoseconds()
            let printed = try #require(Int64(try rig.home.read("printed").dropLast()))
            latencies.append(.nanoseconds(known - printed))
            #expect(await start == .started(port: 4096))
            #expect(await rig.registry.stop(.alpha) == .stopped)
        }
        // The median: the machine may do other things in the middle of one of them.
        #expect(latencies.sorted()[2] <= .milliseconds(100), "\(latencies)")
        await rig.end()
    }
}

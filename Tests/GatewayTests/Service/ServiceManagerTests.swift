import Glibc
import TestKit
import Testing

/// The gateway as a unit of a service manager: it tells its state, and takes the sockets that it is given.
@Suite struct ServiceManagerTests {
    @Test func itSaysWhenItIsReadyAndWhenItEnds() throws {
        let manager = try NotifySocket()
        let gateway = try GatewayUnderTest(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(
            try manager.expect("READY=1") == ["READY=1", "STATUS=Listening on http://127.0.0.1:\(gateway.port)"])
        gateway.process.terminate()
        #expect(try manager.expect("STOPPING=1").contains { $0.hasPrefix("STATUS=") })
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func theWatchdogHearsFromIt() throws {
        let manager = try NotifySocket()
        let gateway = try GatewayUnderTest(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"])
        var beats = 0
        while beats < 3 {
            let message = manager.next(within: .seconds(5))
            guard !message.isEmpty else { break }
            if message == ["WATCHDOG=1"] { beats += 1 }
        }
        #expect(beats == 3)
        try gateway.end()
    }

    @Test func whoConnectsWhileItRestartsWaitsAndIsServed() throws {
        let held = try HeldSocket()
        let home = try TemporaryDirectory()
        let first = try held.startGateway(home: home.path)
        #expect(try TestClient.request(held.port, "GET", "/health").status == 200)
        first.terminate()
        #expect(try first.waitForExit(within: .seconds(20)) == .exited(0))
        // Nobody accepts now: the connection is made by the kernel and waits.
        let waiting = try TestClient.connect(port: held.port)
        try waiting.send("GET", "/health")
        let second = try held.startGateway(home: home.path)
        #expect(try ResponseReader(waiting).readAll().status == 200)
        second.terminate()
        #expect(try second.waitForExit(within: .seconds(20)) == .exited(0))
    }

    @Test func allLoopsServeTheOneSocket() throws {
        let held = try HeldSocket()
        let home = try TemporaryDirectory()
        let gateway = try held.startGateway(home: home.path)
        let connections = try (0..<64).map { _ in try TestClient.connect(port: held.port) }
        for connection in connections { try connection.send("GET", "/health") }
        for connection in connections { #expect(try ResponseReader(connection).readAll().status == 200) }
        // Its log says which socket it has taken.
        try gateway.waitForLine(on: .error) { $0.contains("of the service manager") }
    }
}

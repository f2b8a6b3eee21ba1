import TestKit
import Testing

/// A start that is under way when the gateway ends.
@Suite struct EndingStartTests {
    @Test func whoWaitsIsNotToldThatItWasStarted() throws {
        let rig = try TwinRig("banner-never")
        let connection = try rig.gateway.connect()
        try connection.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        try rig.waitForLog("starting")
        rig.gateway.process.terminate()
        let answer = try ResponseReader(connection).readAll()
        #expect(answer.status == 500)
        #expect(answer.text == #"{"detail":"Failed to start service: the gateway is shutting down."}"#)
        #expect(try rig.gateway.process.waitForExit(within: TwinRig.patience) == .exited(0))
    }
}

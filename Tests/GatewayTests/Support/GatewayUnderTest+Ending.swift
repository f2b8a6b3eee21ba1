import Glibc
import TestKit

extension GatewayUnderTest {
    /// Ends the gateway and waits until each of its loops knows: none listens any more.
    func endListening(_ signal: Int32 = SIGTERM) throws {
        process.terminate(signal)
        try process.waitForLine(on: .error) { $0.contains("the gateway is ending") }
        let deadline = Deadline(after: .seconds(10))
        while let connection = try? TestClient.connect(port: port) {
            connection.close()
            guard !deadline.hasPassed else { throw TestFailure("the gateway goes on listening") }
        }
    }
}

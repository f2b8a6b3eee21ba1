import Glibc
import TestKit

extension GatewayUnderTest {
    /// Sends a request's head but for the end of it, on a connection that was accepted: a gateway that ends waits for the rest.
    func beginRequest(_ method: String = "GET", _ target: String, fields: String = "") throws -> TestConnection {
        let client = try connect()
        guard try client.exchange("GET", "/health").status == 200 else { throw TestFailure("the gateway is not up") }
        let (name, value) = Self.authorization
        try client.write("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(name): \(value)\r\n\(fields)")
        return client
    }

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

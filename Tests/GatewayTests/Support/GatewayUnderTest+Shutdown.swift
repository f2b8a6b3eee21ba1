// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

extension GatewayUnderTest {
    /// Sends an incomplete request head on an accepted connection, so that a gateway that shuts down waits for the
    /// remainder.
    func startRequest(_ method: String = "GET", _ target: String, fields: String = "") throws -> TestConnection {
        let client = try connect()
        guard try client.exchange("GET", "/health").status == 200 else { throw TestFailure("the gateway is not up") }
        let (name, value) = Self.authorization
        try client.write("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(name): \(value)\r\n\(fields)")
        return client
    }

    /// Shuts the gateway down and waits until each of its loops has stopped listening.
    func stopListening(_ signal: Int32 = SIGTERM) throws {
        process.terminate(signal)
        try process.waitForLine(on: .error) { $0.contains("the gateway is shutting down") }
        let deadline = Deadline(after: .seconds(10))
        while let connection = try? TestClient.connect(port: port) {
            connection.close()
            guard !deadline.hasPassed else { throw TestFailure("the gateway still listens") }
        }
    }
}

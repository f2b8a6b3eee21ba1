// SPDX-License-Identifier: Apache-2.0

import TestKit

/// All bytes received on a connection until its end, for requests that no proper client would send.
struct RawAnswer {
    let text: String
    let ending: TestConnection.Ending

    /// The status of every response on the connection, including interim responses.
    var statuses: [Int] {
        text.split(separator: "HTTP/1.", omittingEmptySubsequences: false).dropFirst().compactMap {
            Int($0.dropFirst(2).prefix(3))
        }
    }
}

extension TestConnection {
    /// Reads all bytes until the gateway ends the connection.
    func readRawAnswer(within limit: Duration = defaultLimit) throws -> RawAnswer {
        let (bytes, ending) = try readUntilEnd(within: limit)
        return RawAnswer(text: String(decoding: bytes, as: UTF8.self), ending: ending)
    }
}

extension GatewayUnderTest {
    /// Sends these bytes on a new connection and reads until the gateway ends it.
    func raw(_ request: String, within limit: Duration = TestConnection.defaultLimit) throws -> RawAnswer {
        let connection = try connect()
        defer { connection.close() }
        try connection.write(request)
        return try connection.readRawAnswer(within: limit)
    }
}

/// The text of a request, byte for byte as the test needs it.
enum RequestText {
    static let authorization = "Authorization: Bearer \(GatewayUnderTest.key)"

    /// Returns a head with the key and, unless omitted, `Host`. Its lines end with CR LF.
    static func head(
        _ line: String = "POST /projects/demo/api/framed HTTP/1.1", _ fields: [String] = [], host: Bool = true
    ) -> String {
        ([line] + (host ? ["Host: gateway.example.com"] : []) + [authorization] + fields)
            .map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// The request that an attacker hides after a request that two parsers could frame differently.
    static let smuggled = head("GET /projects/demo/api/smuggled HTTP/1.1")
}

import TestKit

/// All that came back on a connection until its end, for requests that no proper client would send.
struct RawAnswer {
    let text: String
    let ending: TestConnection.Ending

    /// The status of every answer on the connection, interim ones included.
    var statuses: [Int] {
        text.split(separator: "HTTP/1.", omittingEmptySubsequences: false).dropFirst().compactMap {
            Int($0.dropFirst(2).prefix(3))
        }
    }
}

extension TestConnection {
    /// Everything until the gateway ends the connection.
    func readRawAnswer(within limit: Duration = defaultLimit) throws -> RawAnswer {
        let (bytes, ending) = try readUntilEnd(within: limit)
        return RawAnswer(text: String(decoding: bytes, as: UTF8.self), ending: ending)
    }
}

extension GatewayUnderTest {
    /// Sends these bytes on a connection of its own and reads until the gateway ends it.
    func raw(_ request: String, within limit: Duration = TestConnection.defaultLimit) throws -> RawAnswer {
        let connection = try connect()
        defer { connection.close() }
        try connection.write(request)
        return try connection.readRawAnswer(within: limit)
    }
}

/// The text of a request, every byte as the test wants it.
enum RequestText {
    static let authorization = "Authorization: Bearer \(GatewayUnderTest.key)"

    /// A head with the key, and `Host` unless it is left out; its lines end with CR LF.
    static func head(
        _ line: String = "POST /projects/demo/api/framed HTTP/1.1", _ fields: [String] = [], host: Bool = true
    ) -> String {
        ([line] + (host ? ["Host: gateway.example.com"] : []) + [authorization] + fields)
            .map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// What an attacker hides behind a request that two readers could frame differently.
    static let smuggled = head("GET /projects/demo/api/smuggled HTTP/1.1")
}

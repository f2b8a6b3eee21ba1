// SPDX-License-Identifier: Apache-2.0

extension TestConnection {
    /// Sends a whole response. The response has a Content-Length, unless the headers define the framing or the status
    /// has no body.
    package func respond(
        _ status: Int, _ reason: String = "OK", headers: [(String, String)] = [], body: [UInt8] = []
    ) throws {
        var headers = headers
        let names = headers.map { $0.0.lowercased() }
        let isBodyless = status < 200 || status == 204 || status == 304
        if !isBodyless, !names.contains("content-length"), !names.contains("transfer-encoding") {
            headers.append(("Content-Length", String(body.count)))
        }
        try write(Array(TestConnection.head(status, reason, headers: headers).utf8) + body)
    }

    /// Sends a whole response with a text body.
    package func respond(
        _ status: Int, _ reason: String = "OK", headers: [(String, String)] = [], text: String
    ) throws {
        try respond(status, reason, headers: headers, body: Array(text.utf8))
    }

    /// Sends a head with exactly the given headers.
    package func writeHead(_ status: Int, _ reason: String = "OK", headers: [(String, String)] = []) throws {
        try write(TestConnection.head(status, reason, headers: headers))
    }

    /// Sends one chunk (RFC 9112 §7.1) with its size line in one write. The chunk must not be empty, because that would
    /// end the body.
    package func writeChunk(_ bytes: some Collection<UInt8>, within limit: Duration = defaultLimit) throws {
        precondition(!bytes.isEmpty, "an empty chunk ends the body: call writeLastChunk")
        try write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10], within: limit)
    }

    /// Sends a text as a single chunk.
    package func writeChunk(_ text: String, within limit: Duration = defaultLimit) throws {
        try writeChunk(Array(text.utf8), within: limit)
    }

    /// Ends a chunked body, optionally with trailer fields.
    package func writeLastChunk(trailers: [(String, String)] = []) throws {
        try write("0\r\n" + trailers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n")
    }

    private static func head(_ status: Int, _ reason: String, headers: [(String, String)]) -> String {
        "HTTP/1.1 \(status) \(reason)\r\n" + headers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    }
}

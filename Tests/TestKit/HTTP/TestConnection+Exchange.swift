// SPDX-License-Identifier: Apache-2.0

extension TestConnection {
    /// Sends a request and reads the whole response. The connection can be used for another request afterwards.
    ///
    /// Adds a `Host` if it is missing, and a `Content-Length` if there is a body and no field defines its framing.
    package func exchange(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestResponse {
        try send(method, target, headers: headers, body: body, within: limit)
        return try ResponseReader(self, method: method).readAll(within: limit)
    }

    /// Sends a request like `exchange`, without reading the response.
    package func send(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        within limit: Duration = TestConnection.defaultLimit
    ) throws {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        let names = headers.map { $0.0.lowercased() }
        if !names.contains("host") { head += "Host: 127.0.0.1:\(peerPort)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body, !names.contains("content-length"), !names.contains("transfer-encoding") {
            head += "Content-Length: \(body.count)\r\n"
        }
        try write(Array((head + "\r\n").utf8) + (body ?? []), within: limit)
    }
}

extension TestClient {
    /// Sends a request on a new connection and returns the whole response. Adds the same fields as
    /// `TestConnection.exchange`.
    package static func request(
        port: UInt16, _ method: String = "GET", _ target: String, headers: [(String, String)] = [],
        body: [UInt8]? = nil, within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestResponse {
        let connection = try connect(port: port, within: limit)
        defer { connection.close() }
        return try connection.exchange(method, target, headers: headers, body: body, within: limit)
    }

    /// Sends a request with a text body on a new connection and returns the whole response.
    package static func request(
        port: UInt16, _ method: String, _ target: String, headers: [(String, String)] = [], text: String,
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestResponse {
        try request(port: port, method, target, headers: headers, body: Array(text.utf8), within: limit)
    }

    /// Opens an event stream on a new connection without reading its head.
    package static func events(
        port: UInt16, _ target: String, headers: [(String, String)] = []
    ) throws -> EventStreamReader {
        let connection = try connect(port: port)
        try connection.send("GET", target, headers: headers)
        return EventStreamReader(ResponseReader(connection))
    }
}

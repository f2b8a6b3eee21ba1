// SPDX-License-Identifier: Apache-2.0

/// A proxy that supports only CONNECT (RFC 9110 §9.3.6). For every requested name, the proxy connects to the requested
/// port of 127.0.0.1.
package final class ConnectProxy: Sendable {
    private let server: TestServer
    /// The requested targets, such as `hooks.example.com:443`.
    package let targets = Recorded<String>("a CONNECT")

    /// The port of 127.0.0.1 on which the proxy listens.
    package var port: UInt16 { server.port }

    /// Starts the proxy. With a status other than 200, the proxy rejects all requests.
    package init(answering status: Int = 200) throws {
        let targets = targets
        server = try TestServer { client in
            guard let head = try client.readRequestHead() else { return }
            targets.append(head.target)
            guard head.method == "CONNECT", status == 200, let number = head.target.split(separator: ":").last,
                let port = UInt16(number)
            else { return try client.respond(status == 200 ? 405 : status, "No") }
            let origin = try TestClient.connect(port: port)
            defer { origin.close() }
            try client.writeHead(200, "Connection established")
            try client.exchange(with: origin)
        }
    }
}

extension TestConnection {
    /// Forwards all bytes in both directions until one side closes.
    func exchange(with other: TestConnection) throws {
        let upwards = try TestThread { Self.carry(self, other) }
        Self.carry(other, self)
        upwards.join()
    }

    private static func carry(_ source: TestConnection, _ sink: TestConnection) {
        while let bytes = try? source.read(within: .seconds(60)), !bytes.isEmpty {
            guard (try? sink.write(bytes)) != nil else { break }
        }
        source.close()
        sink.close()
    }
}

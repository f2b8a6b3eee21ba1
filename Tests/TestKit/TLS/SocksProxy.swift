// SPDX-License-Identifier: Apache-2.0

/// A SOCKS 5 proxy (RFC 1928) without authentication. For every requested name, the proxy connects to the requested
/// port of 127.0.0.1.
package final class SocksProxy: Sendable {
    private let server: TestServer
    /// The requested hosts, such as `hooks.example.com`. If the client has resolved the name itself, the host is
    /// `127.0.0.1`.
    package let targets = Recorded<String>("a SOCKS request")

    /// The port of 127.0.0.1 on which the proxy listens.
    package var port: UInt16 { server.port }

    /// Starts the proxy on a free port.
    package init() throws {
        let targets = targets
        server = try TestServer { client in
            let greeting = try client.readExactly(2)
            _ = try client.readExactly(Int(greeting[1]))
            try client.write([5, 0])
            let host: String
            switch try client.readExactly(4)[3] {
            case 1: host = try client.readExactly(4).map(String.init).joined(separator: ".")
            case 3: host = String(decoding: try client.readExactly(Int(try client.readExactly(1)[0])), as: UTF8.self)
            default: return
            }
            let port = try client.readExactly(2)
            targets.append(host)
            let origin = try TestClient.connect(port: UInt16(port[0]) << 8 | UInt16(port[1]))
            defer { origin.close() }
            try client.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
            try client.exchange(with: origin)
        }
    }
}

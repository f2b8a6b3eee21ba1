// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A program that handles TLS in front of the gateway.
enum ReverseProxy: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx
    case caddy

    var testDescription: String { rawValue }

    /// A script that installs the example and starts the program, as root.
    fileprivate var setUp: String {
        switch self {
        case .nginx:
            """
            rm -f /etc/nginx/sites-enabled/default
            cp \(Lab.checkoutInside)/deploy/nginx.conf /etc/nginx/conf.d/viberemote.conf
            nginx -t -q
            systemctl start nginx
            """
        case .caddy:
            // Caddy would request a certificate from an authority. The test uses the example's alternative, which is
            // its own certificate.
            """
            sed 's/^\\t# tls /\\ttls /' \(Lab.checkoutInside)/deploy/Caddyfile >/etc/caddy/Caddyfile
            chgrp caddy /etc/ssl/private /etc/ssl/private/gateway.example.com.key
            chmod g+rx /etc/ssl/private; chmod g+r /etc/ssl/private/gateway.example.com.key
            caddy validate --config /etc/caddy/Caddyfile --adapter caddyfile
            systemctl start caddy
            """
        }
    }
}

/// A machine with a gateway, a TLS proxy in front of the gateway, and an instance.
final class ReverseProxyFixture: Sendable {
    static let key = "a-key-for-tests-0123456789"
    /// The address of the clients that the proxy sees.
    static let clientAddress = "127.0.0.5"

    let machine: LabMachine
    let instance: LabInstance
    /// The number of events that the client has received from a forwarded stream.
    let seen: Recorded<Int>
    /// The number of events that the client has received from a stream that clients share.
    let shared: Recorded<Int>
    let streamEnded: Latch
    let halfArrived: Latch
    private let gateway: TestProcess
    private let tls: TestProcess

    init(_ root: LabRoot, _ proxy: ReverseProxy) throws {
        let seen = Recorded<Int>("an event that the client has seen")
        let shared = Recorded<Int>("a shared event that the client has seen")
        let streamEnded = Latch("the stream to be ended")
        let halfArrived = Latch("the first half of the upload")
        self.seen = seen
        self.shared = shared
        self.streamEnded = streamEnded
        self.halfArrived = halfArrived
        machine = try LabMachine(root)
        instance = try LabInstance(in: machine) { connection, head in
            if head.path == "/global/event" { return try Self.serveEvents(connection, shared) }
            try Self.serve(connection, head, seen: seen, streamEnded: streamEnded, halfArrived: halfArrived)
        }
        try machine.run("mkdir -p ~/demo")
        gateway = try machine.start(
            "exec \(Lab.checkoutInside)/.build/dist/viberemote-gateway serve --supervisor process "
                + "--listen 127.0.0.1:4000 --opencode \"$OPENCODE\"",
            environment: [
                "VIBE_AUTH_SECRET": Self.key, "VIBE_TRUST_PROXY": "127.0.0.1", "OPENCODE": instance.command,
            ])
        try gateway.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on ") }
        try machine.run(
            """
            set -e
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=gateway.example.com \\
                -addext subjectAltName=DNS:gateway.example.com \\
                -keyout /etc/ssl/private/gateway.example.com.key -out /etc/ssl/certs/gateway.example.com.pem
            \(proxy.setUp)
            """, as: .root)
        // Provides TLS for the test's plain sockets, and checks the certificate. It ends when the sockets are closed,
        // and supports no half-close.
        tls = try machine.start(
            "exec socat -d -d TCP-LISTEN:8443,bind=127.0.0.1,fork,reuseaddr "
                + "OPENSSL:127.0.0.1:443,bind=\(Self.clientAddress),cafile=/etc/ssl/certs/gateway.example.com.pem,"
                + "commonname=gateway.example.com,snihost=gateway.example.com,shut-none", as: .root)
        try tls.waitForLine(on: .error) { $0.contains("listening on") }
        let connection = try machine.connect(port: 4000)
        defer { connection.close() }
        let start = try connection.exchange(
            "POST", "/projects/demo/start", headers: [("Authorization", "Bearer \(Self.key)")])
        guard start.status == 200 else { throw LabFailure("start answered \(start.status) \(start.text)") }
    }

    /// Returns a TLS connection to the proxy.
    func connect() throws -> TestConnection { try machine.connect(port: 8443) }

    /// Serves the stream that the gateway reads for all clients.
    private static func serveEvents(_ connection: TestConnection, _ shared: Recorded<Int>) throws {
        try connection.writeHead(
            200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
        try connection.writeChunk("data: {\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}\n\n")
        for number in 1...3 {
            _ = try shared.wait(forCount: number, within: .seconds(300))
            try connection.writeChunk("data: \(event(number))\n\n")
        }
        try connection.waitForEnd(within: .seconds(300))
    }

    /// Returns an event that belongs to no folder.
    static func event(_ number: Int) -> String {
        #"{"payload":{"type":"server.said","properties":{"number":\#(number)}}}"#
    }

    private static func serve(
        _ connection: TestConnection, _ head: ReceivedRequestHead, seen: Recorded<Int>, streamEnded: Latch,
        halfArrived: Latch
    ) throws {
        switch head.path {
        case "/event":
            try connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in 1...3 {
                let event = "data: event \(number)\n\n"
                try connection.write("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n")
                _ = try seen.wait(forCount: number)
            }
            try connection.waitForEnd()
            streamEnded.open()
        case "/upload":
            var count = try connection.readExactly(100_000).count
            halfArrived.open()
            count += try connection.readExactly(100_000).count
            try connection.respond(200, text: "took \(count)")
        case "/pty/1/connect":
            try connection.acceptWebSocket()
            while true {
                let bytes = try connection.read()
                if bytes.isEmpty { return }
                try connection.write(Array("<".utf8) + bytes + Array(">".utf8))
            }
        default:
            try connection.respond(200, text: "answered")
        }
    }
}

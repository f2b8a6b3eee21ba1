// SPDX-License-Identifier: Apache-2.0

import Addresses
import Locking
import TestKit
import Testing

@testable import Outbound

/// A TLS server, and a client for requests to this server.
final class OutboundFixture: Sendable {
    let certificates: TestCertificates
    let server: TestServer
    let front: TLSFront
    let outbound: Outbound

    /// Starts a server whose handler produces the responses.
    ///
    /// - Parameter days: The validity period of the certificate.
    init(
        names: [String] = ["DNS:localhost", "IP:127.0.0.1", "IP:127.0.0.2"], days: Int = 30, isTrusted: Bool = true,
        proxies: ProxyEnvironment = .none, mostAtOnce: Int = 64, mostWaiting: Int = 1024,
        _ handler: @escaping TestServer.Handler
    ) throws {
        certificates = try TestCertificates()
        server = try TestServer(handler)
        front = try TLSFront(certificates.pair(for: names, days: days), to: server.port)
        var settings = OutboundSettings()
        if isTrusted { settings.authorities = certificates.authority }
        settings.proxies = proxies
        settings.mostAtOnce = mostAtOnce
        settings.mostWaiting = mostWaiting
        outbound = try Outbound(settings)
    }

    deinit { outbound.stop() }

    func url(_ path: String = "/", host: String = "localhost", port: UInt16? = nil) throws -> OutboundURL {
        try OutboundURL("https://\(host):\(port ?? front.port)\(path)")
    }

    /// Returns a request to an address of this machine, where the tests' own servers listen.
    func request(_ method: String = "GET", _ path: String = "/", host: String = "localhost") throws -> OutboundRequest {
        var request = OutboundRequest(method, try url(path, host: host))
        request.reach = .everywhere
        request.timeout = .seconds(20)
        return request
    }

    /// Returns the failure of a request. If the request succeeds, records an issue and returns nil.
    func failure(_ request: OutboundRequest) async -> OutboundFailure? {
        do throws(OutboundFailure) {
            let answer = try await outbound.send(request)
            Issue.record("answered \(answer.head.status)")
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the server has this number of connections, without blocking a thread of the task pool.
    func active(_ count: Int) async throws {
        try await withCheckedThrowingContinuation { (reached: CheckedContinuation<Void, any Error>) in
            do {
                _ = try TestThread { [server] in
                    reached.resume(with: Result { try server.wait(forActiveConnections: count, within: .seconds(20)) })
                }
            } catch {
                reached.resume(throwing: error)
            }
        }
    }

    /// Returns a handler that responds to every request of a connection.
    static func answering(
        _ answer: @escaping @Sendable (ReceivedRequest, TestConnection) throws -> Void
    ) -> TestServer.Handler {
        { connection in
            while let request = try connection.readRequest(within: .seconds(60)) { try answer(request, connection) }
        }
    }
}

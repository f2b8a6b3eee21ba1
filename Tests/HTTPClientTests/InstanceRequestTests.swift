// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPTypes
import TestKit
import Testing

@testable import HTTPClient

/// Tests requests to a server in the test's own process, over sockets.
@Suite("Requests to an instance") struct InstanceRequestTests {
    /// Returns the response's body, or the error.
    private func send(
        _ client: UpstreamClient, _ loop: EventLoop, _ instance: InstanceAddress, _ method: Method = .get
    ) throws -> String {
        let request = UpstreamRequest(
            instance: instance, method: method, methodName: method.name ?? "", target: [UInt8(ascii: "/")],
            fields: FieldList(), body: .none)
        var text = ""
        WholeAnswer.send(request, of: client, within: .seconds(20), longestBody: 1000) { outcome in
            switch outcome {
            case .answered(_, let body): text = String(decoding: body, as: UTF8.self)
            case .failed(let failure): text = "\(failure)"
            case .late: text = "late"
            }
            loop.stop()
        }
        try loop.run()
        return text
    }

    @Test(
        arguments: [Loopback.ipv4, .ipv6])
    func `an instance is reached over IPv4 or IPv6 and receives its own address in Host`(loopback: Loopback) throws {
        let server = try TestServer(on: loopback) { connection in
            while let head = try connection.readRequestHead(within: .seconds(20)) {
                try connection.respond(200, text: head.values(of: "Host").joined(separator: "|"))
            }
        }
        let loop = try EventLoop()
        let client = UpstreamClient(loop: loop)
        let ip = try #require(IPAddress(loopback == .ipv6 ? "::1" : "127.0.0.1"))
        let instance = InstanceAddress(ip: ip, port: server.port)
        for method in [Method.get, .post, .get] {
            #expect(try send(client, loop, instance, method) == instance.authority)
        }

        #expect(server.connections.count == 1)

        client.stop()
        loop.releaseHandlers()
    }

    @Test(
        arguments: [Method.post, .get])
    func `a POST is sent once and a GET again if the kept connection ends without a response`(method: Method) throws {
        let requests = Recorded<String>("a request")
        let server = try TestServer { connection in
            while let head = try connection.readRequestHead(within: .seconds(20)) {
                requests.append(head.method)
                if requests.values.count == 2 { return connection.close() }
                try connection.respond(200, text: "answered")
            }
        }
        let loop = try EventLoop()
        let client = UpstreamClient(loop: loop)
        let instance = InstanceAddress(ip: .loopback, port: server.port)

        #expect(try send(client, loop, instance) == "answered")

        let answer = try send(client, loop, instance, method)
        if method == .post {
            #expect(answer.hasPrefix("noAnswer("))
            #expect(requests.values == ["GET", "POST"])
        } else {
            #expect(answer == "answered")
            #expect(requests.values == ["GET", "GET", "GET"])
        }
        client.stop()
        loop.releaseHandlers()
    }
}

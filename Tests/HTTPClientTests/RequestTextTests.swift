// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("The bytes of a request (RFC 9112 §2.1)")
struct RequestTextTests {
    private func request(
        _ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:], port: UInt16 = 4096,
        ip: IPAddress = .loopback,
        body: UpstreamRequest.Body = .none
    ) -> UpstreamRequest {
        var list = FieldList()
        for (name, value) in fields { list.append(name, value) }
        return UpstreamRequest(
            instance: InstanceAddress(ip: ip, port: port), method: Method(name: method), methodName: method,
            target: Array(target.utf8)[...], fields: list, body: body)
    }

    private func text(of request: UpstreamRequest) -> String {
        var text: [UInt8] = []
        request.write(to: &text, Array(request.instance.authority.utf8))
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `a request is written as request line, Host, then its fields in order and spelling`() {
        let request = request(
            "GET", "/session?a=%2F", ["Accept": "application/json", "x-EMPTY": "", "X": "1", "X": "2"])

        #expect(
            text(of: request) == """
                GET /session?a=%2F HTTP/1.1\r
                Host: 127.0.0.1:4096\r
                Accept: application/json\r
                x-EMPTY:\r
                X: 1\r
                X: 2\r
                \r

                """)
    }

    @Test(arguments: [1, 80, 65_535] as [UInt16])
    func `a request without fields has only Host, with the instance's port`(port: UInt16) {
        #expect(text(of: request("GET", "/", port: port)) == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }

    @Test(
        arguments: ["::1", "fd00::a:1", "10.20.255.0", "127.0.0.9", "8.8.8.8"])
    func `Host is the instance's own address, IPv4 or IPv6`(ip: String) throws {
        let instance = InstanceAddress(ip: try #require(IPAddress(ip)), port: 8080)

        #expect(
            text(of: request("GET", "/", port: 8080, ip: instance.ip))
                == "GET / HTTP/1.1\r\nHost: \(instance.authority)\r\n\r\n")
        #expect("\(instance.socketAddress)" == instance.authority)
    }

    @Test func `each request has the authority of its own instance when instances alternate`() throws {
        let client = UpstreamClient(loop: try EventLoop())
        let other = try #require(IPAddress("::1"))
        let addresses: [(IPAddress, UInt16)] = [
            (.loopback, 1), (.loopback, 1), (.loopback, 2), (other, 2), (.loopback, 2), (other, 1),
        ]

        for (ip, port) in addresses {
            let instance = InstanceAddress(ip: ip, port: port)
            #expect(String(decoding: client.authority(of: instance), as: UTF8.self) == instance.authority)
        }
    }

    @Test(arguments: ["{}", ""])
    func `a whole body is written with its Content-Length`(content: String) {
        let request = request("PUT", "/x", ["A": "b"], body: .whole(Array(content.utf8)))

        #expect(
            text(of: request)
                == "PUT /x HTTP/1.1\r\nHost: 127.0.0.1:4096\r\nA: b\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
        )
    }

    @Test func `a method that the gateway does not know keeps its name`() {
        #expect(text(of: request("PROPFIND", "/")).hasPrefix("PROPFIND / HTTP/1.1\r\n"))
    }

    @Test func `bytes above 0x7F in the target and in values are written unchanged`() {
        var fields = FieldList()
        fields.append(name: Array("X".utf8), value: [0xff, 0x80][...])
        let request = UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: 1), method: .get, methodName: "GET",
            target: [0x2f, 0xe9][...], fields: fields, body: .none)
        var bytes: [UInt8] = []
        request.write(to: &bytes, Array("127.0.0.1:1".utf8))
        let head = Array("GET ".utf8) + [0x2f, 0xe9] + Array(" HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX: ".utf8)

        #expect(bytes == head + [0xff, 0x80] + Array("\r\n\r\n".utf8))
    }
}

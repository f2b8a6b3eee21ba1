import Addresses
import EventLoop
import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("A request as it goes on the wire (RFC 9112 §2.1)")
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

    @Test("The request line, Host, and the fields in their order and spelling")
    func wholeText() {
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

    @Test("Without fields, Host stands alone; the port is the instance's", arguments: [1, 80, 65_535] as [UInt16])
    func withoutFields(port: UInt16) {
        #expect(text(of: request("GET", "/", port: port)) == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }

    @Test(
        "Host is the instance's own address", arguments: ["::1", "fd00::a:1", "10.20.255.0", "127.0.0.9", "8.8.8.8"])
    func host(ip: String) throws {
        let instance = InstanceAddress(ip: try #require(IPAddress(ip)), port: 8080)
        #expect(
            text(of: request("GET", "/", port: 8080, ip: instance.ip))
                == "GET / HTTP/1.1\r\nHost: \(instance.authority)\r\n\r\n")
        #expect("\(instance.socketAddress)" == instance.authority)
    }

    @Test("Of instances that are asked in turn each is named by its own address")
    func hostsInTurn() throws {
        let client = UpstreamClient(loop: try EventLoop())
        let other = try #require(IPAddress("::1"))
        let places: [(IPAddress, UInt16)] = [
            (.loopback, 1), (.loopback, 1), (.loopback, 2), (other, 2), (.loopback, 2), (other, 1),
        ]
        for (ip, port) in places {
            let instance = InstanceAddress(ip: ip, port: port)
            #expect(String(decoding: client.authority(of: instance), as: UTF8.self) == instance.authority)
        }
    }

    @Test("A body that is whole goes along, with its length", arguments: ["{}", ""])
    func withBody(content: String) {
        let request = request("PUT", "/x", ["A": "b"], body: .whole(Array(content.utf8)))
        #expect(
            text(of: request)
                == "PUT /x HTTP/1.1\r\nHost: 127.0.0.1:4096\r\nA: b\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
        )
    }

    @Test("A method that the gateway does not know keeps its name")
    func otherMethod() {
        #expect(text(of: request("PROPFIND", "/")).hasPrefix("PROPFIND / HTTP/1.1\r\n"))
    }

    @Test("Bytes above 0x7F go out as they came")
    func bytesAboveASCII() {
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

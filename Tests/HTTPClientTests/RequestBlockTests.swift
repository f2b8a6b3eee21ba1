import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("A request's target and fields as one text for libcurl")
struct RequestBlockTests {
    private func request(_ target: String, _ fields: KeyValuePairs<String, String> = [:], port: UInt16 = 4096)
        -> UpstreamRequest
    {
        var list = FieldList()
        for (name, value) in fields { list.append(name, value) }
        return UpstreamRequest(
            port: port, method: .get, methodName: "GET", target: Array(target.utf8)[...], fields: list, body: .none)
    }

    private func text(of request: UpstreamRequest, by block: inout RequestBlock) -> String? {
        var text: String?
        block.withText(of: request) { pointer in text = pointer.map { String(cString: $0) } }
        return text
    }

    @Test(
        "The target is followed by the version, Host and the fields; what libcurl adds becomes the last field's value")
    func wholeText() {
        var block = RequestBlock()
        let request = request("/session?a=%2F", ["Accept": "application/json", "x-EMPTY": "", "X": "1", "X": "2"])
        #expect(
            text(of: request, by: &block) == """
                /session?a=%2F HTTP/1.1\r
                Host: 127.0.0.1:4096\r
                Accept: application/json\r
                x-EMPTY:\r
                X: 1\r
                X: 2\r
                X-Gateway-Protocol:
                """)
    }

    @Test("Without fields, Host stands alone; the port is the instance's", arguments: [1, 80, 65_535] as [UInt16])
    func withoutFields(port: UInt16) {
        var block = RequestBlock()
        #expect(
            text(of: request("/", port: port), by: &block)
                == "/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Gateway-Protocol:")
    }

    @Test("Nothing of a longer request stays in the next one's text")
    func usedAgain() {
        var block = RequestBlock()
        var fresh = RequestBlock()
        let long = request(
            "/" + String(repeating: "long", count: 1_000), ["X-Long": String(repeating: "v", count: 5_000)])
        let short = request("/short", ["A": "b"], port: 5)
        let before = text(of: short, by: &fresh)
        _ = text(of: long, by: &block)
        #expect(text(of: short, by: &block) == before)
        #expect(before == "/short HTTP/1.1\r\nHost: 127.0.0.1:5\r\nA: b\r\nX-Gateway-Protocol:")
    }

    @Test("Bytes above 0x7F go out as they came")
    func bytesAboveASCII() {
        var fields = FieldList()
        fields.append(name: Array("X".utf8), value: [0xff, 0x80][...])
        let request = UpstreamRequest(
            port: 1, method: .get, methodName: "GET", target: [0x2f, 0xe9][...], fields: fields, body: .none)
        var block = RequestBlock()
        var bytes: [UInt8] = []
        block.withText(of: request) { pointer in
            var next = pointer
            while let current = next, current.pointee != 0 {
                bytes.append(UInt8(bitPattern: current.pointee))
                next = current + 1
            }
        }
        let expected = [0x2f, 0xe9] + Array(" HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX: ".utf8) + [0xff, 0x80]
        #expect(bytes == expected + Array("\r\nX-Gateway-Protocol:".utf8))
    }
}

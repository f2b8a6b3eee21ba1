// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("The lines of a response's head (RFC 9112 §4, §5)")
struct ResponseHeadReaderTests {
    typealias Fault = ResponseHeadReader.Fault

    /// Reads a text and returns the progress at each line: `+` if more bytes are needed, `interim`, `complete 200` or
    /// `switching 101`.
    private func parse(_ text: String, with reader: inout ResponseHeadReader) throws(Fault) -> (
        text: String, ResponseHead?
    ) {
        var received: [String] = []
        var last: ResponseHead?
        var remainder = text.bytes[...]
        while !remainder.isEmpty {
            let end = remainder.firstIndex(of: 0x0a).map { $0 + 1 } ?? remainder.endIndex
            let line = Array(remainder[..<end])
            remainder = remainder[end...]
            var index = 0
            let progress = try reader.parse(line.span, from: &index)
            #expect(index == line.count)
            switch progress {
            case .needsMore: received.append("+")
            case .interim: received.append("interim")
            case .complete(let head):
                received.append("complete \(head.status)")
                last = head
            case .switching(let head):
                received.append("switching \(head.status)")
                last = head
            }
        }
        return (received.joined(separator: " "), last)
    }

    private func parse(_ text: String) throws(Fault) -> (text: String, ResponseHead?) {
        var reader = ResponseHeadReader()
        return try parse(text, with: &reader)
    }

    @Test func `a head is complete at its empty line and keeps order, spelling and duplicates`() throws {
        let (received, head) = try parse(
            "HTTP/1.1 200 OK\r\nContent-Type: a\r\nset-COOKIE:b\r\nSet-Cookie: \t c \t\r\nEmpty:\r\n\r\n")

        #expect(received == "+ + + + + complete 200")
        #expect(head?.fields.lines == ["Content-Type: a", "set-COOKIE: b", "Set-Cookie: c", "Empty: "])
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK", 200, false), ("HTTP/1.0 200 OK", 200, true), ("HTTP/1.1 200 ", 200, false),
            ("HTTP/1.1 200", 200, false), ("HTTP/1.1 999 x", 999, false),
            ("HTTP/1.1 404 Not  \u{e9} Found ", 404, false),
        ])
    func `each valid status line is read`(line: String, status: Int, isHTTP10: Bool) throws {
        var reader = ResponseHeadReader()
        let (received, head) = try parse("\(line)\r\n\r\n", with: &reader)

        #expect(received == "+ complete \(status)")
        #expect(head?.fields.count == 0)
        #expect(reader.isHTTP10 == isHTTP10)
    }

    @Test(
        arguments: [
            "", " ", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 200OK", "HTTP/1.1  200 OK",
            "HTTP/1.1 20 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 000 OK",
            "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK", "HTTP/1.2 200 OK", "HTTP/2.0 200 OK", "HTTP/2 200 OK",
            "HTTP/1,1 200 OK", "HTTP/11. 200 OK", "http/1.1 200 OK", " HTTP/1.1 200 OK", "HTTP/1.12 200 OK",
            "ICY 200 OK", "Content-Type: text/plain", "GET / HTTP/1.1",
        ])
    func `each malformed status line is rejected`(line: String) {
        #expect(throws: Fault.badStatusLine) { try parse("\(line)\r\n") }
    }

    @Test(
        arguments: [
            "No colon", ":value", "X : value", "X\t: value", "X Y: value", "X-Forwarded-A B: value", "X\u{e9}: value",
            "X(: value", "X: a\0b",
            "X: a\rb", "X: a\u{7f}", "X: \u{1}", "X\0: value", "X",
        ])
    func `each malformed field line is rejected`(line: String) {
        #expect(throws: Fault.badField) { try parse("HTTP/1.1 200 OK\r\n\(line)\r\n") }
    }

    @Test func `a value may contain HTAB and any byte from 0x80`() throws {
        let (_, head) = try parse("HTTP/1.1 200 OK\r\nX: a\tb\u{e9}\u{80}\r\n\r\n")

        #expect(head?.fields.lines == ["X: a\tb\u{e9}\u{80}"])
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\n X: a\r\n", "HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\n", "HTTP/1.1 200 OK\r\nX: a\r\n \r\n",
        ])
    func `a folded line is rejected, including the first field line (RFC 9112, section 5.2)`(text: String) {
        #expect(throws: Fault.foldedLine) { try parse(text) }
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\n", "\n", "HTTP/1.1 200 OK\r\nX: a\n", "HTTP/1.1 200 OK\r\nX: a\r\n\n",
        ])
    func `a line that does not end with CRLF is rejected`(text: String) {
        #expect(throws: Fault.badLineEnding) { try parse(text) }
    }

    @Test func `a head is read without any byte of the body, regardless of how the network splits it`() throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nX: one\r\nX:\r\n\r\nthe body".bytes

        for size in 1...text.count {
            var reader = ResponseHeadReader()
            var head: ResponseHead?
            var position = 0
            while head == nil, position < text.count {
                let fragment = text.span.extracting(position..<min(position + size, text.count))
                var index = 0
                if case .complete(let complete) = try reader.parse(fragment, from: &index) { head = complete }
                position += index
            }
            #expect(head?.fields.lines == ["X: one", "X: "])
            // No byte of the body was consumed.
            #expect(text[position...].elementsEqual("the body".utf8))
        }
    }

    @Test func `an endless line is rejected as too large`() {
        var reader = ResponseHeadReader()
        let fragment = [UInt8](repeating: UInt8(ascii: "v"), count: 1_024)

        #expect(throws: Fault.tooLarge) {
            for _ in 0...64 {
                var index = 0
                _ = try reader.parse(fragment.span, from: &index)
            }
        }
    }

    @Test func `an empty read completes no head`() throws {
        var reader = ResponseHeadReader()
        var index = 0
        guard case .needsMore = try reader.parse([UInt8]().span, from: &index) else {
            Issue.record("a head without input")
            return
        }
    }

    @Test func `interim responses are dropped with their fields (RFC 9110, section 15.2)`() throws {
        let (received, head) = try parse(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 201 Created\r\nX: b\r\n\r\n"
        )

        #expect(received == "+ interim + + interim + + complete 201")
        #expect(head?.fields.lines == ["X: b"])
    }

    @Test func `the HTTP version is that of the final response, not of an interim one`() throws {
        var reader = ResponseHeadReader()
        _ = try parse("HTTP/1.0 100 Continue\r\n\r\n", with: &reader)
        _ = try parse("HTTP/1.1 200 OK\r\n\r\n", with: &reader)

        #expect(!reader.isHTTP10)
    }

    @Test func `a 101 is read as a switch of protocols (RFC 9110, section 15.2.2)`() throws {
        let (received, head) = try parse("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")

        #expect(received == "+ + switching 101")
        #expect(head?.fields.lines == ["Upgrade: websocket"])
    }

    @Test func `a head of 64 KiB is read and a larger one is rejected`() throws {
        let frame = "HTTP/1.1 200 OK\r\nX: \r\n\r\n".utf8.count
        let value = String(repeating: "v", count: 64 * 1024 - frame)

        #expect(try parse("HTTP/1.1 200 OK\r\nX: \(value)\r\n\r\n").text == "+ + complete 200")
        #expect(throws: Fault.tooLarge) { try parse("HTTP/1.1 200 OK\r\nX: \(value)v\r\n\r\n") }
    }

    @Test func `interim responses count toward the size limit of the head`() {
        #expect(throws: Fault.tooLarge) {
            try parse(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 64 * 1024 / 25 + 1))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@Suite("Log lines for programs")
struct JSONLogEncoderTests {
    static func line(_ message: String, level: LogLevel = .info, _ fields: [LogField] = []) -> [UInt8] {
        var encoder = JSONLogEncoder()
        var output: [UInt8] = []
        let record = LogRecord(
            time: TextLogEncoderTests.moment, level: level, message: message, fields: fields)
        encoder.encode(record, into: &output)
        return output
    }

    static func object(_ line: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }

    @Test func `a JSON line has time, level, message and then the fields in their order`() {
        let line = Self.line(
            "request", level: .notice,
            [
                LogField("status", 200), LogField("path", .bytes(Array("/health".utf8)[...])),
                LogField("duration_ms", .duration(.microseconds(1_500))),
            ])
        let expected = #"""
            {"time":"2026-11-21T17:04:05.123Z","level":"notice","message":"request","status":200,"path":"/health","duration_ms":1.500}

            """#

        #expect(String(decoding: line, as: UTF8.self) == expected)
    }

    @Test(arguments: [0..<0x180, 0x2000..<0x2070])
    func `each character survives a JSON parser unchanged`(scalars: Range<UInt32>) throws {
        let text = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
        let object = try Self.object(Self.line(text, [LogField("value", text)]))

        #expect(object["message"] as? String == text)
        #expect(object["value"] as? String == text)
    }

    @Test func `a JSON line contains no control characters`() {
        let everything = (0...255).map(UInt8.init)
        let line = Self.line("m\u{1B}[2J\u{9B}", [LogField("value", .bytes(everything[...]))]).dropLast()

        #expect(!line.contains { $0 < 0x20 || $0 == 0x7F })
        #expect(!String(decoding: line, as: UTF8.self).unicodeScalars.contains { (0x80..<0xA0).contains($0.value) })
    }

    @Test func `invalid UTF-8 is replaced by U+FFFD byte by byte`() throws {
        let object = try Self.object(Self.line("m", [LogField("value", .bytes([0x61, 0xFF, 0xC3, 0x62][...]))]))

        #expect(object["value"] as? String == "a\u{FFFD}\u{FFFD}b")
    }

    @Test func `a field never replaces the level or the message`() throws {
        let fields = [LogField("message", "forged"), LogField("level", "error"), LogField("a\"b", "c")]
        let object = try Self.object(Self.line("real", fields))

        #expect(object["message"] as? String == "real")
        #expect(object["level"] as? String == "info")
        #expect(object["message_"] as? String == "forged")
        #expect(object["a_b"] as? String == "c")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@Suite("Log lines for people")
struct TextLogEncoderTests {
    /// The time 2026-11-21 17:04:05.123456789 UTC.
    static let moment: Int64 = 1_795_280_645_123_456_789

    static func line(
        _ message: String, level: LogLevel = .info, _ fields: LogField..., offset: Int64 = 0
    ) -> String {
        var encoder = TextLogEncoder(offset: { _ in offset })
        var output: [UInt8] = []
        encoder.encode(LogRecord(time: moment, level: level, message: message, fields: fields), into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a text line begins with date, time and milliseconds in local time`() {
        #expect(Self.line("listening") == "2026-11-21 17:04:05.123 listening\n")
        #expect(Self.line("listening", offset: 3_600) == "2026-11-21 18:04:05.123 listening\n")
        #expect(Self.line("listening", offset: -18 * 3_600) == "2026-11-20 23:04:05.123 listening\n")
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"), (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"), (1_709_164_799, "2024-02-28 23:59:59"),
            (1_709_164_800, "2024-02-29 00:00:00"), (1_767_225_599, "2025-12-31 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"),
        ])
    func `dates around leap days, year ends and before 1970 are correct`(second: Int64, expected: String) {
        var encoder = TextLogEncoder(offset: { _ in 0 })
        var output: [UInt8] = []
        encoder.encode(LogRecord(time: second * 1_000_000_000, level: .info, message: "m"), into: &output)

        #expect(String(decoding: output, as: UTF8.self) == expected + ".000 m\n")
    }

    @Test func `lines of different seconds from one encoder each have their own time`() {
        var encoder = TextLogEncoder(offset: { _ in 0 })
        var output: [UInt8] = []
        for time: Int64 in [999_999_999, 1_000_000_000, 1_001_000_000, 0] {
            encoder.encode(LogRecord(time: time, level: .info, message: "m"), into: &output)
        }
        let times = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.dropFirst(17).dropLast(2) }

        #expect(times == ["00.999", "01.000", "01.001", "00.000"])
    }

    @Test func `a text line names its level unless it is info`() {
        #expect(Self.line("m", level: .warning) == "2026-11-21 17:04:05.123 warning: m\n")
        #expect(Self.line("m", level: .error) == "2026-11-21 17:04:05.123 error: m\n")
        #expect(Self.line("m", level: .debug) == "2026-11-21 17:04:05.123 debug: m\n")
    }

    static func value(_ value: LogValue) -> String {
        let text = line("m", LogField("v", value))
        return String(text.dropFirst("2026-11-21 17:04:05.123 m v=".count).dropLast())
    }

    @Test func `a value is quoted if it would be ambiguous`() {
        #expect(Self.value(.text("plain/path-1.0")) == "plain/path-1.0")
        #expect(Self.value(.text("")) == #""""#)
        #expect(Self.value(.text("two words")) == #""two words""#)
        #expect(Self.value(.text("a=b")) == #""a=b""#)
        #expect(Self.value(.text(#"say "hi" \"#)) == #""say \"hi\" \\""#)
        #expect(Self.value(.text("übung")) == #""übung""#)
        #expect(Self.value(.integer(-12)) == "-12")
        #expect(Self.value(.integer(.min)) == "\(Int.min)")
        #expect(Self.value(.integer(0)) == "0")
        #expect(Self.value(.duration(.microseconds(12_345))) == "12.345")
        #expect(Self.value(.duration(.microseconds(7))) == "0.007")
        #expect(Self.value(.duration(.seconds(-1))) == "0.000")
    }

    @Test func `logged text cannot end a line, forge a field or control the terminal`() {
        let attack = "x\n2026 error: forged\r\u{1B}[2J\u{9B}31m\u{7F}\u{202E}\u{2028}\0"
        let escaped = #"x\n2026 error: forged\r\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2028}\u{00}"#

        #expect(Self.line(attack) == "2026-11-21 17:04:05.123 \(escaped)\n")
        #expect(Self.value(.text(attack)) == "\"\(escaped)\"")
        #expect(Self.line("m", LogField("a b=\n\u{1B}", "v")).hasSuffix(" m a_b___=v\n"))
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], #""a\xffb""#), ([0xC0, 0xAF], #""\xc0\xaf""#),
            ([0xED, 0xA0, 0x80], #""\xed\xa0\x80""#),
            ([0xF4, 0x90, 0x80, 0x80], #""\xf4\x90\x80\x80""#), ([0xE2, 0x82], #""\xe2\x82""#),
            ([0xE2, 0x82, 0xAC], #""€""#), ([0xF0, 0x9F, 0x98, 0x80], #""😀""#),
        ] as [([UInt8], String)])
    func `bytes that are not UTF-8 are shown as hexadecimal escapes`(bytes: [UInt8], expected: String) {
        #expect(Self.value(.bytes(bytes[...])) == expected)
    }

    @Test func `a long value is truncated between two characters`() {
        let text = Self.value(.text("a" + String(repeating: "é", count: LogValue.longest)))
        #expect(text.hasSuffix("é…\""))
        #expect(!text.contains("\\x"))
        #expect(text.utf8.count < LogValue.longest + 8)
    }
}

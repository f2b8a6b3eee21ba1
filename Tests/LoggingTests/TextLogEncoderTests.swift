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

    @Test("Date, time and milliseconds stand first, in local time")
    func localTime() {
        #expect(Self.line("listening") == "2026-11-21 17:04:05.123 listening\n")
        #expect(Self.line("listening", offset: 3_600) == "2026-11-21 18:04:05.123 listening\n")
        #expect(Self.line("listening", offset: -18 * 3_600) == "2026-11-20 23:04:05.123 listening\n")
    }

    @Test(
        "Dates around leap days, turns of the year and before 1970 are right",
        arguments: [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"), (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"), (1_709_164_799, "2024-02-28 23:59:59"),
            (1_709_164_800, "2024-02-29 00:00:00"), (1_767_225_599, "2025-12-31 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"),
        ])
    func calendar(second: Int64, expected: String) {
        var encoder = TextLogEncoder(offset: { _ in 0 })
        var output: [UInt8] = []
        encoder.encode(LogRecord(time: second * 1_000_000_000, level: .info, message: "m"), into: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected + ".000 m\n")
    }

    @Test("Lines of different seconds through one encoder each get their own time")
    func secondsChange() {
        var encoder = TextLogEncoder(offset: { _ in 0 })
        var output: [UInt8] = []
        for time: Int64 in [999_999_999, 1_000_000_000, 1_001_000_000, 0] {
            encoder.encode(LogRecord(time: time, level: .info, message: "m"), into: &output)
        }
        let times = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.dropFirst(17).dropLast(2) }
        #expect(times == ["00.999", "01.000", "01.001", "00.000"])
    }

    @Test("A level stands there unless it is info")
    func levels() {
        #expect(Self.line("m", level: .warning) == "2026-11-21 17:04:05.123 warning: m\n")
        #expect(Self.line("m", level: .error) == "2026-11-21 17:04:05.123 error: m\n")
        #expect(Self.line("m", level: .debug) == "2026-11-21 17:04:05.123 debug: m\n")
    }

    static func value(_ value: LogValue) -> String {
        let text = line("m", LogField("v", value))
        return String(text.dropFirst("2026-11-21 17:04:05.123 m v=".count).dropLast())
    }

    @Test("Values are quoted where they would be unclear")
    func quoting() {
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

    @Test("Nothing from outside ends a line, forges a field or commands the terminal")
    func injection() {
        let attack = "x\n2026 error: forged\r\u{1B}[2J\u{9B}31m\u{7F}\u{202E}\u{2028}\0"
        let escaped = #"x\n2026 error: forged\r\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2028}\u{00}"#
        #expect(Self.line(attack) == "2026-11-21 17:04:05.123 \(escaped)\n")
        #expect(Self.value(.text(attack)) == "\"\(escaped)\"")
        #expect(Self.line("m", LogField("a b=\n\u{1B}", "v")).hasSuffix(" m a_b___=v\n"))
    }

    @Test(
        "Bytes that are no UTF-8 are shown as such",
        arguments: [
            ([0x61, 0xFF, 0x62], #""a\xffb""#), ([0xC0, 0xAF], #""\xc0\xaf""#),
            ([0xED, 0xA0, 0x80], #""\xed\xa0\x80""#),
            ([0xF4, 0x90, 0x80, 0x80], #""\xf4\x90\x80\x80""#), ([0xE2, 0x82], #""\xe2\x82""#),
            ([0xE2, 0x82, 0xAC], #""€""#), ([0xF0, 0x9F, 0x98, 0x80], #""😀""#),
        ] as [([UInt8], String)])
    func invalidBytes(bytes: [UInt8], expected: String) {
        #expect(Self.value(.bytes(bytes[...])) == expected)
    }

    @Test("A value without end is cut between two characters")
    func longValues() {
        let text = Self.value(.text("a" + String(repeating: "é", count: LogValue.longest)))
        #expect(text.hasSuffix("é…\""))
        #expect(!text.contains("\\x"))
        #expect(text.utf8.count < LogValue.longest + 8)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@Suite("Journal entries")
struct JournalLogEncoderTests {
    /// Parses journald's native protocol: `NAME=value\n`, or `NAME\n`, a 64-bit length, the value and `\n`.
    static func fields(_ datagram: [UInt8]) throws -> [(name: String, value: String)] {
        var remainder = datagram[...]
        var fields: [(String, String)] = []
        while !remainder.isEmpty {
            let lineEnd = try #require(remainder.firstIndex(of: UInt8(ascii: "\n")))
            if let equals = remainder[..<lineEnd].firstIndex(of: UInt8(ascii: "=")) {
                fields.append(
                    (
                        String(decoding: remainder[..<equals], as: UTF8.self),
                        String(decoding: remainder[(equals + 1)..<lineEnd], as: UTF8.self)
                    ))
                remainder = remainder[(lineEnd + 1)...]
            } else {
                let name = String(decoding: remainder[..<lineEnd], as: UTF8.self)
                let length = remainder[(lineEnd + 1)...].prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                let value = remainder[(lineEnd + 9)...].prefix(length)
                try #require(remainder[value.endIndex] == UInt8(ascii: "\n"))
                fields.append((name, String(decoding: value, as: UTF8.self)))
                remainder = remainder[(value.endIndex + 1)...]
            }
        }
        return fields
    }

    static func entry(_ message: String, level: LogLevel = .info, _ fields: LogField...) throws -> [(String, String)] {
        var encoder = JournalLogEncoder(identifier: "viberemote-gateway")
        var output: [UInt8] = []
        encoder.encode(LogRecord(time: 0, level: level, message: message, fields: fields), into: &output)
        return try Self.fields(output)
    }

    @Test func `a journal entry has message, priority, identifier and then each field`() throws {
        let entry = try Self.entry("stalled", level: .warning, LogField("request_id", "r 1"), LogField("bytes", 12))
        let expected = [
            ("MESSAGE", #"stalled request_id="r 1" bytes=12"#), ("PRIORITY", "4"),
            ("SYSLOG_IDENTIFIER", "viberemote-gateway"), ("VIBE_REQUEST_ID", "r 1"), ("VIBE_BYTES", "12"),
        ]

        #expect(entry.map(\.0) == expected.map(\.0))
        #expect(entry.map(\.1) == expected.map(\.1))
    }

    @Test(arguments: zip(LogLevel.allCases, ["3", "4", "5", "6", "7"]))
    func `each level has syslog's priority`(level: LogLevel, priority: String) throws {
        #expect(try Self.entry("m", level: level)[1] == ("PRIORITY", priority))
    }

    @Test func `a value keeps its line feeds and cannot forge a field`() throws {
        let entry = try Self.entry("two\nPRIORITY=0", LogField("tail", "a\nb\n"))

        #expect(entry.map(\.0) == ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "VIBE_TAIL"])
        #expect(entry[0].1 == "two\nPRIORITY=0 tail=\"a\\nb\\n\"")
        #expect(entry[1].1 == "6")
        #expect(entry[3].1 == "a\nb\n")
    }

    @Test func `long, empty and invalid values leave the journal entry intact`() throws {
        let entry = try Self.entry(
            "m", LogField("long", String(repeating: "é\n", count: LogValue.longest)), LogField("empty", ""),
            LogField("bytes", .bytes([0xFF, 0x00, 0x0A][...])), LogField("last", 1))

        #expect(entry.map(\.0).suffix(4) == ["VIBE_LONG", "VIBE_EMPTY", "VIBE_BYTES", "VIBE_LAST"])
        #expect(entry[3].1.hasSuffix("…"))
        #expect(entry[3].1.utf8.count <= LogValue.longest + 3)
        #expect(entry[4].1 == "")
        #expect(entry[5].1 == "\u{FFFD}\0\n")
        #expect(entry[6].1 == "1")
    }

    @Test func `a field name that journald would reject is replaced by a valid one`() throws {
        let entry = try Self.entry("m", LogField("x-y.ü=", "1"), LogField(String(repeating: "n", count: 99), "2"))

        #expect(entry[3].0 == "VIBE_X_Y____")
        #expect(entry[4].0.utf8.count == 64)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Locking
import Logging
import Testing

/// A log sink that stores its records.
final class RecordingSink: LogSink {
    private let recorded = Locked<[LogRecord]>([])
    var records: [LogRecord] { recorded.withLock { $0 } }
    func write(_ record: LogRecord) { recorded.withLock { $0.append(record) } }
}

@Suite("The logger")
struct LoggerTests {
    @Test func `only lines of an enabled level are written, and other messages are not evaluated`() {
        let sink = RecordingSink()
        let made = Locked(0)
        let logger = Logger(sink: sink, level: .notice)
        func message(_ text: String) -> String {
            made.withLock { $0 += 1 }
            return text
        }
        logger.debug(message("debug"))
        logger.info(message("info"))
        logger.notice(message("notice"))
        logger.warning(message("warning"))
        logger.error(message("error"))

        #expect(sink.records.map(\.message) == ["notice", "warning", "error"])
        #expect(sink.records.map(\.level) == [.notice, .warning, .error])
        #expect(made.withLock { $0 } == 3)
    }

    @Test func `a logger's own fields precede the line's fields`() {
        let sink = RecordingSink()
        let logger = Logger(sink: sink, now: { 42 }).with(LogField("project", "demo"))
        logger.info("started", LogField("port", 4096))
        let expected = LogRecord(
            time: 42, level: .info, message: "started",
            fields: [LogField("project", "demo"), LogField("port", 4096)])

        #expect(sink.records == [expected])
    }
}

@Suite("The access log")
struct AccessLineTests {
    static func text(_ line: AccessLine) -> String {
        var encoder = TextLogEncoder(offset: { _ in 0 })
        var output: [UInt8] = []
        encoder.encode(line.record(time: 0), into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    static func path(of target: String) -> String {
        let line = AccessLine(
            method: "GET", target: Array(target.utf8)[...], status: 200, bytes: 0, duration: .zero)
        return String(decoding: line.path, as: UTF8.self)
    }

    @Test func `an access line has method, path, status, bytes, duration, project, key, request id and client`() {
        let line = AccessLine(
            method: "POST", target: Array("/projects/demo/api/session?directory=secret".utf8)[...], status: 200,
            bytes: 512, duration: .microseconds(12_345), project: "demo", key: "Anna's phone",
            requestID: "7f3a", client: "192.0.2.7")

        #expect(
            Self.text(line) == """
                1970-01-01 00:00:00.000 request method=POST path=/projects/demo/api/session status=200 bytes=512 \
                duration_ms=12.345 project=demo key="Anna's phone" request_id=7f3a client=192.0.2.7

                """)
    }

    /// Returns the log lines for a request for `/` and for a request whose long path consists of these bytes.
    private static func lines(_ bytes: [UInt8]) -> [String] {
        let target = [UInt8(ascii: "/")] + (0..<20_000).map { bytes[$0 % bytes.count] }
        let line = AccessLine(method: "GET", target: target[...], status: 401, bytes: 0, duration: .zero)
        var json = JSONLogEncoder()
        var output: [UInt8] = []
        json.encode(line.record(time: 0), into: &output)
        return [text(line), String(decoding: output, as: UTF8.self)]
    }

    @Test(arguments: [
        [0x61], [0xFF], [0x1B], [0x22], [0x5C], [0x7F], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xC3, 0xA9], [0xE2, 0x82],
        [0xF0, 0x9F, 0x98, 0x80], [0x61, 0xFF, 0xC3, 0xA9, 0x1B],
    ])
    func `at most 512 bytes of a path are logged, regardless of how they are escaped`(bytes: [UInt8]) {
        for line in Self.lines(bytes) {
            let start =
                line.firstRange(of: line.hasPrefix("{") ? #""path":""# : "path=\"")?.upperBound
                ?? line.firstRange(of: "path=")?.upperBound
            let end = line.firstRange(of: line.hasPrefix("{") ? #"","status""# : " status=")?.lowerBound
            let path = start.flatMap { start in end.map { line[start..<$0] } } ?? ""

            #expect(path.utf8.count <= 513, "with a closing quote in text")
            #expect(path.utf8.count > 250)
            #expect(path.contains("…"))
        }
    }

    @Test func `a path of 512 bytes is not truncated`() {
        for count in [511, 512] {
            let target = "/" + String(repeating: "a", count: count)
            let line = AccessLine(method: "GET", target: Array(target.utf8)[...], status: 0, bytes: 0, duration: .zero)

            #expect(Self.text(line).contains("path=\(target) ") == (count == 511))
        }
    }

    @Test func `a long method is truncated`() {
        let method = String(repeating: "M", count: 5_000)
        let line = AccessLine(method: method, target: [0x2F], status: 405, bytes: 0, duration: .zero)

        #expect(Self.text(line).contains("method=\"\(method.prefix(32))…\" path=/ "))
    }

    @Test func `an access line omits unknown values`() {
        let line = AccessLine(
            method: "GET", target: Array("/health".utf8)[...], status: 200, bytes: 49, duration: .zero)

        #expect(Self.text(line).hasSuffix("path=/health status=200 bytes=49 duration_ms=0.000\n"))
    }

    @Test(
        arguments: [
            ("/a%2Fb/%00", "/a%2Fb/%00"), ("/a?key=secret", "/a"), ("/a#part?x", "/a"), ("?key=secret", ""), ("*", "*"),
            ("http://me:secret@example.com/a/b?c", "/a/b"), ("http://me:secret@example.com", ""),
            ("/redirect/http://example.com/", "/redirect/http://example.com/"), ("", ""),
            // The authority form with and without a password, and targets that have no valid form.
            ("example.com:443", ""), ("me:secret@example.com:443", ""), ("secret", ""), ("*secret", ""),
            ("http:secret", ""),
            // Parameters after each delimiter, with and without percent-encoding, once and twice.
            ("/a;auth_token=secret", "/a"), ("/a;b=c;auth_token=secret", "/a"), ("/a;auth_token=secret/b", "/a"),
            ("/a%3bauth_token=secret", "/a"), ("/a%3Bb=c%3Bauth_token=secret", "/a"),
            ("/a%253Bauth_token%253Dsecret", "/a"), ("/a%3Fauth_token=secret", "/a"), ("/a%26b%3dsecret", "/a"),
            ("/a&auth_token=secret", "/a"), ("/a/%23auth_token=secret", "/a/"),
            ("http://example.com/a;auth_token=secret?b", "/a"),
            // Without a value, the delimiters are part of a name.
            ("/projects/C%23/api", "/projects/C%23/api"), ("/projects/a;b/api", "/projects/a;b/api"),
            ("/a=b;c", "/a=b;c"), ("/%", "/%"), ("/%2", "/%2"), ("/%25", "/%25"), ("/%25%", "/%25%"),
        ])
    func `an access line keeps the path without query, fragment, authority and parameter values`(
        target: String, path: String
    ) {
        #expect(Self.path(of: target) == path)
    }
}

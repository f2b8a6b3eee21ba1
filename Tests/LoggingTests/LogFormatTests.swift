// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@Suite("The choice of a log format and level")
struct LogFormatTests {
    static func facts(terminal: Bool = false, stream: String? = nil) -> StandardErrorFacts {
        StandardErrorFacts(isTerminal: terminal, device: 8, inode: 4711, journalStream: stream)
    }

    @Test func `auto selects the journal if stderr is connected to it`() {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(stream: "8:4711")) == .journal)
    }

    @Test(
        arguments: ["8:4712", "9:4711", "", "84711", "8:4711:"])
    func `auto does not select the journal if stderr was redirected`(stream: String) {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(stream: stream)) == .json)
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(terminal: true, stream: stream)) == .text)
    }

    @Test func `auto selects text on a terminal and JSON otherwise`() {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(terminal: true)) == .text)
        #expect(LogFormat.resolve(.auto, standardError: Self.facts()) == .json)

        let closed = StandardErrorFacts(isTerminal: false, device: nil, inode: nil, journalStream: "8:4711")

        #expect(LogFormat.resolve(.auto, standardError: closed) == .json)
    }

    @Test(
        arguments: zip(LogFormatChoice.allCases.dropFirst(), LogFormat.allCases)
    )
    func `an explicit log format is used instead of auto's`(choice: LogFormatChoice, format: LogFormat) {
        #expect(LogFormat.resolve(choice, standardError: Self.facts(stream: "8:4711")) == format)
    }

    @Test func `log levels have names and an order`() {
        #expect(LogLevel.allCases.map(\.name) == ["error", "warning", "notice", "info", "debug"])
        #expect(LogLevel.allCases.allSatisfy { LogLevel(name: $0.name) == $0 })
        #expect(LogLevel(name: "Warning") == nil)
        #expect(LogLevel.debug < .info)
        #expect(LogLevel.error > .warning)
    }
}

import Logging
import Testing

@Suite("The choice of a log format and level")
struct LogFormatTests {
    static func facts(terminal: Bool = false, stream: String? = nil) -> StandardErrorFacts {
        StandardErrorFacts(isTerminal: terminal, device: 8, inode: 4711, journalStream: stream)
    }

    @Test("auto: the journal where stderr is the journal's stream")
    func journal() {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(stream: "8:4711")) == .journal)
    }

    @Test(
        "auto: not the journal when stderr was redirected since",
        arguments: ["8:4712", "9:4711", "", "84711", "8:4711:"])
    func redirected(stream: String) {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(stream: stream)) == .json)
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(terminal: true, stream: stream)) == .text)
    }

    @Test("auto: text on a terminal, else JSON lines, also when stderr is closed")
    func terminal() {
        #expect(LogFormat.resolve(.auto, standardError: Self.facts(terminal: true)) == .text)
        #expect(LogFormat.resolve(.auto, standardError: Self.facts()) == .json)
        let closed = StandardErrorFacts(isTerminal: false, device: nil, inode: nil, journalStream: "8:4711")
        #expect(LogFormat.resolve(.auto, standardError: closed) == .json)
    }

    @Test(
        "A format that was asked for is taken", arguments: zip(LogFormatChoice.allCases.dropFirst(), LogFormat.allCases)
    )
    func chosen(choice: LogFormatChoice, format: LogFormat) {
        #expect(LogFormat.resolve(choice, standardError: Self.facts(stream: "8:4711")) == format)
    }

    @Test("Levels have names and an order")
    func levels() {
        #expect(LogLevel.allCases.map(\.name) == ["error", "warning", "notice", "info", "debug"])
        #expect(LogLevel.allCases.allSatisfy { LogLevel(name: $0.name) == $0 })
        #expect(LogLevel(name: "Warning") == nil)
        #expect(LogLevel.debug < .info && LogLevel.error > .warning)
    }
}

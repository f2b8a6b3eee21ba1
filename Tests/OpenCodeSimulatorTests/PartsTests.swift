// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import opencode_simulator

@Suite("The simulator's parts", .onTestThreads)
struct PartsTests {
    @Test(arguments: [
        #"{"b":1,"a":[true,false,null,"x"],"c":{"d":-2.5e3}}"#, "[]", "{}", #""\"\\\n\t\u0001é🚀""#, "[0,[1,[2]]]",
    ])
    func `parsed JSON is encoded to the same bytes`(text: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).encoded == text)
    }

    @Test func `JSON escapes are decoded, and the last of two equal names is used`() throws {
        let text = #"  { "a" : "\/\u00e9\ud83d\ude80\b" , "a" : 2 } "#
        let json = try JSONParser.parse(Array(text.utf8))

        #expect(json["a"] == 2)
        #expect(json == .object([.init(name: "a", value: "/é🚀\u{8}"), .init(name: "a", value: 2)]))
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{a:1}", "tru", "1 2", "\"\n\"", "\"\\x\"", "nul", "--1",
        String(repeating: "[", count: 1000),
    ])
    func `each malformed JSON text is rejected`(text: String) {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    /// Tests the examples from RFC 3174 §7.3 and RFC 4648 §10.
    @Test func `SHA-1 and Base64 match the examples of their RFCs`() {
        #expect(SHA1.hexadecimal("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            SHA1.hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")

        let encoded = ["", "f", "fo", "foo", "foob"].map { Base64.encode(Array($0.utf8)) }

        #expect(encoded == ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="])
        #expect(Base64.encode(Array("f".utf8), padding: false) == "Zg")
    }

    @Test func `a time is formatted as an HTTP date and in ISO 8601`() {
        let time = 1_795_229_235_045

        #expect(Clock.httpDate(time) == "Sat, 21 Nov 2026 02:47:15 GMT")
        #expect(Clock.iso(time) == "2026-11-21T02:47:15.045Z")
    }

    @Test func `identifiers sort by time, those of sessions in descending order`() {
        let messages = (0..<100).map { _ in Identifier.make("msg") }

        #expect(messages == messages.sorted())
        #expect(messages[0].utf8.count == "msg_1fc00393a001uaksG0AuZjAlst".utf8.count)

        let sessions = (0..<100).map { _ in Identifier.make("ses", descending: true) }

        #expect(sessions == sessions.sorted().reversed())
    }

    @Test func `the options in a prompt determine the size and the timing of its answer`() {
        let plain = TurnScript(model: "talk", prompt: "list[0] please")

        #expect(plain == TurnScript(model: "anything", prompt: ""))
        #expect(TurnScript.withoutOptions("list[0] please") == "list[0] please")

        let asked = TurnScript(model: "talk", prompt: "go [pieces=3 interval=20ms silent=75s bytes=1000] on")

        #expect(asked.deltaCount == 3)
        #expect(asked.interval == .milliseconds(20))
        #expect(asked.silence == .seconds(75))

        let answer = asked.answer(to: "go")

        #expect(answer.count == 3)
        #expect(answer.joined().utf8.count == 1000)
        #expect(TurnScript.withoutOptions("go [pieces=3] on") == "go on")
        #expect(TurnScript.withoutOptions("go [think] on") == "go on")
        #expect(TurnScript(model: "slow", prompt: "hi").silence == .seconds(75))
        #expect(TurnScript(model: "fast", prompt: "hi").answer(to: "hi").count == 2000)
    }

    @Test(arguments: [
        ("talk", "hello", Scenario.talk), ("think", "hello", .think), ("nobody's", "hello", .talk),
        ("talk", "Think about it", .think), ("talk", "tools, please", .tools), ("think", "hello [edit]", .edit),
        ("talk", "unthinkable", .talk), ("talk", "todo [question pace=5]", .question), ("big", "", .big),
    ])
    func `the prompt, or else the model, determines the scenario of a turn`(
        model: String, prompt: String, scenario: Scenario
    ) {
        #expect(TurnScript(model: model, prompt: prompt).scenario == scenario)
    }

    @Test func `the pace scales only the times that the prompt does not set`() {
        let fast = TurnScript(model: "slow", prompt: "hi [interval=5ms]", pace: 10)

        #expect(fast.silence == .milliseconds(7500))
        #expect(fast.interval == .milliseconds(5))
        #expect(fast.scaled(.seconds(1)) == .milliseconds(100))
        #expect(TurnScript(model: "slow", prompt: "hi [pace=0]", pace: 100).silence == .zero)
    }

    /// In the recordings, about fifty deltas took about a second.
    @Test func `the default answer takes about as long as the recorded one`() {
        let script = TurnScript(model: "talk", prompt: "Explain the parser")
        let fragments = script.answer(to: "Explain the parser").count

        #expect((30...60).contains(fragments))
        #expect((Duration.milliseconds(700)...Duration.milliseconds(1500)).contains(script.interval * fragments))
    }

    /// The expected value is the check value of RFC 1952's polynomial for `123456789`.
    @Test func `gzip output has a valid header and length, and its CRC-32 is correct`() {
        #expect(Gzip.checksum(Array("123456789".utf8)) == 0xcbf4_3926)

        let coded = Gzip.encode(Array(repeating: 7, count: 70_000))

        #expect(coded.prefix(3) == [0x1f, 0x8b, 8])
        #expect(coded.count == 70_000 + 10 + 2 * 5 + 8)
        #expect(coded.suffix(4) == [0x70, 0x11, 0x01, 0])
    }

    @Test func `the options of serve are parsed, and invalid ones are rejected`() throws {
        #expect(try ServeOptions.parse(["serve", "--port", "0", "--hostname", "127.0.0.1"]) == .serve(ServeOptions()))
        #expect(
            try ServeOptions.parse(["serve", "--port=14321", "--print-logs"])
                == .serve(ServeOptions(port: 14321, printsLogs: true)))

        #expect(throws: ServeOptions.Failure.self) { try ServeOptions.parse(["serve", "--hostname", "0.0.0.0"]) }
        #expect(throws: ServeOptions.Failure.self) { try ServeOptions.parse(["serve", "--port"]) }
        #expect(throws: ServeOptions.Failure.self) { try ServeOptions.parse([]) }
    }

    @Test func `the shell runs each completed line and ends at exit`() {
        var shell = Shell()

        #expect(shell.type("ech") == "ech")
        #expect(shell.type("o $((1+2))x\n\n") == "o $((1+2))x\r\n3x\r\n# \r\n# ")
        #expect(shell.type("nope\n") == "nope\r\nsh: nope: not found\r\n# ")
        #expect(shell.type("exit\nignored") == "exit\r\n")
        #expect(shell.hasExited)
    }
}

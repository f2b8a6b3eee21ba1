// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The command audit")
struct AuditRequestTests {
    private static func request(_ words: String...) -> (request: AuditRequest, isJSON: Bool)? {
        guard case .audit(let request, let isJSON, _) = CommandLineUnderTest.parse(["audit"] + words) else {
            return nil
        }
        return (request, isJSON)
    }

    @Test func `audit accepts its filters in any position`() throws {
        let all = try #require(Self.request())

        #expect(all.request.key == nil)
        #expect(all.request.project == nil)
        #expect(all.request.since == nil)
        #expect(!all.isJSON)

        let some = try #require(
            Self.request("--since", "1d", "--json", "--key=phone", "--listen", "127.0.0.1:1", "--project", "my app"))

        #expect(some.request.key == "phone")
        #expect(some.request.project == "my app")
        #expect(some.request.since == "1d")
        #expect(some.isJSON)
    }

    @Test(arguments: [
        (["--since", "1"], "--since \"1\" is not a time: write a whole number with one of the units s, min, h and d"),
        (["--since", "soon"], "--since \"soon\" is not a time"),
        (["--key", ""], "--key is empty. Write a value, or omit the flag."),
        (["--key", "a", "--key", "b"], "--key is given twice. Write it once."),
        (["phone"], #""phone" is not expected: audit accepts only flags"#),
        (["--names"], #""--names" is not a flag of audit"#),
    ])
    func `other arguments are refused`(words: [String], sentence: String) {
        guard case .usageError(let text) = CommandLineUnderTest.parse(["audit"] + words) else {
            Issue.record("audit accepts \(words)")
            return
        }

        #expect(text.hasPrefix(sentence), "\(text)")
    }

    @Test func `the help lists the filters without actions`() {
        guard case .print(let text) = CommandLineUnderTest.parse(["help", "audit"]) else {
            Issue.record("there is no help")
            return
        }

        #expect(text.contains("\n  --since TIME\n"))
        #expect(text.contains("viberemote-gateway audit --key phone"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Systemd
import Testing

@Suite struct ProcessStatusTests {
    /// The fields after the start time have no effect.
    private static func line(_ number: String = "4321", name: String = "node", state: String = "S") -> [UInt8] {
        Array(
            "\(number) (\(name)) \(state) 17 4300 4200 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 11 0 987654 1 2 3\n".utf8)
    }

    @Test(arguments: ["node", "a b", ")", ") R 1 (", "((", "\u{fc}", ""])
    func `a process name may contain any character`(name: String) throws {
        let status = try #require(ProcessStatus(Self.line(name: name)))

        #expect(status.identity == ProcessIdentity(number: 4321, startTime: 987_654))
        #expect([status.parent, status.group, status.session] == [17, 4300, 4200])
        #expect(!status.hasEnded)
    }

    @Test(arguments: [("R", false), ("S", false), ("D", false), ("T", false), ("Z", true), ("X", true)])
    func `only a zombie or dead process has ended`(state: String, hasEnded: Bool) {
        #expect(ProcessStatus(Self.line(state: state))?.hasEnded == hasEnded)
    }

    @Test(arguments: ["", "4321", "4321 (node", "4321 (node) S 17 4300", "x (node) S 1 1 1", ") (", "4321 (node)"])
    func `each malformed status line is rejected`(text: String) {
        #expect(ProcessStatus(Array(text.utf8)) == nil)
        #expect(ProcessStatus(Self.line("99999999999")) == nil)
    }
}

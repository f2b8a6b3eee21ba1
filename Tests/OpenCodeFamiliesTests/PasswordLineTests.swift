// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct PasswordLineTests {
    @Test func `the password that OpenCode 2 prints is masked`() {
        #expect(PasswordLine.masked("server password HHvxabc") == "server password ***")
        #expect(PasswordLine.masked("\u{1B}[1mserver password \u{1B}[32mHHvxabc\u{1B}[0m") == "server password ***")
    }

    @Test(arguments: [
        "server listening on http://127.0.0.1:4096", "the server password is set", "", "Server password x",
    ])
    func `lines without a password are unchanged`(line: String) {
        #expect(PasswordLine.masked(line) == line)
    }
}

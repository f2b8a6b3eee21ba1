// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct BannerScannerTests {
    private static let v1 = "opencode server listening on http://127.0.0.1:4096\n"

    private func port(in text: String) -> UInt16? {
        var scanner = BannerScanner()
        return scanner.scan(Array(text.utf8)[...])?.port
    }

    @Test(arguments: Fixtures.versions)
    func `the port of each recorded server is found in its output`(version: String) throws {
        let lives = try Fixtures.lives(version)

        #expect(lives.count >= 10)

        for life in lives {
            let standardOutput = life.output.filter { $0.stream == "stdout" }
            #expect(port(in: standardOutput.map { $0.line + "\n" }.joined()) == life.port, "\(life.name)")
            // The scanner also finds the port if both outputs arrive as a single stream, as in the journal.
            #expect(port(in: life.output.map { $0.line + "\n" }.joined()) == life.port, "\(life.name)")
        }
    }

    @Test(arguments: [
        v1,
        "opencode server listening on http://127.0.0.1:4096\r\n",
        "server listening on http://127.0.0.1:4096\nserver password secret\n",
        "opencode server listening on http://localhost:4096\n",
        "opencode server listening on http://my-host.example.com:4096\n",
        "opencode server listening on http://[::1]:4096\n",
        "server listening on http://[fe80::1]:4096/\n",
        "server listening on http://::1:4096\n",
        "server listening on http://fe80::1:4096\n",
        "opencode server listening on http://0.0.0.0:4096 (press ctrl-c to stop)\n",
        "Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured.\n" + v1,
        "Performing one time database migration, may take a few minutes...\nsqlite-migration:done\n" + v1,
        "migrating 10%\rmigrating 100%\ropencode server listening on http://127.0.0.1:4096\n",
        "\u{1B}[32m\u{1B}[1mopencode server\u{1B}[0m listening on \u{1B}[4mhttp://127.0.0.1:4096\u{1B}[0m\n",
        "\u{1B}]0;a title\u{07}" + v1,
        "\u{1B}]8;;http://127.0.0.1:1\u{1B}\\" + v1,
        String(repeating: "x", count: 1_000_000) + "\n" + v1,
    ])
    func `each form of the banner is recognized`(text: String) {
        #expect(port(in: text) == 4096)
    }

    @Test(arguments: [
        "opencode server listening on http://127.0.0.1:4096",  // incomplete, because more digits may follow
        "the log says: opencode server listening on http://127.0.0.1:4096\n",
        " opencode server listening on http://127.0.0.1:4096\n",
        "opencode server listening on https://127.0.0.1:4096\n",
        "opencode server listening on http://127.0.0.1:0\n",
        "opencode server listening on http://127.0.0.1:65536\n",
        "opencode server listening on http://127.0.0.1:99999999999999999999\n",
        "opencode server listening on http://127.0.0.1:\n",
        "opencode server listening on http://127.0.0.1\n",
        "opencode server listening on http://:4096\n",
        "opencode server listening on http://127.0.0.1:4096x\n",
        "opencode server listening on http://127.0.0.1:+4096\n",
        "opencode server listening on http://user@127.0.0.1:4096\n",
        "opencode server listening on http://[::1:4096\n",
        "opencode server listening on http://::1]:4096\n",
        "opencode server listening on http://[127.0.0.1]:4096\n",
        "opencode server listening on http://[]:4096\n",
        "opencode server listening on http://::g:4096\n",
        "opencode server listening on http://" + String(repeating: "a", count: 600) + ":4096\n",
        String(repeating: "x", count: 600) + "opencode server listening on http://127.0.0.1:4096\n",
        "",
        "\n\n\r\n",
    ])
    func `each text that only resembles a banner is ignored`(text: String) {
        #expect(port(in: text) == nil)
    }

    @Test(arguments: [
        ("opencode server listening on http://127.0.0.1:4096", "127.0.0.1", APIFamily.one, true),
        ("opencode server listening on http://localhost:4096", "localhost", .one, false),
        ("server listening on http://127.0.0.1:4096", "127.0.0.1", .two, true),
        // The announcement of 2.0.15 with `--hostname ::1`.
        ("server listening on http://::1:4096", "::1", .two, false),
        ("server listening on http://[::1]:4096", "::1", .two, false),
        ("opencode server listening on http://0.0.0.0:4096", "0.0.0.0", .one, false),
        ("server listening on http://192.0.2.7:4096", "192.0.2.7", .two, false),
        ("server listening on http://my-host.example.com:4096", "my-host.example.com", .two, false),
    ])
    func `the words of a banner determine the family, and its URL determines the host`(
        line: String, host: String, family: APIFamily, isExpected: Bool
    ) {
        var scanner = BannerScanner()
        let announcement = scanner.scan(Array("\(line)\n".utf8)[...])

        #expect(announcement == Announcement(host: host, port: 4096, family: family))
        #expect(announcement?.isExpectedHost == isExpected)
    }

    @Test func `port 65535 is accepted`() {
        #expect(port(in: "opencode server listening on http://127.0.0.1:65535\n") == 65535)
    }

    @Test func `a banner in two reads is found at each split`() {
        let bytes = Array(
            "Warning: x\r\n\u{1B}[1mopencode server listening on http://127.0.0.1:41373\u{1B}[0m\r\n".utf8)

        for split in 0...bytes.count {
            var scanner = BannerScanner()
            let found = [scanner.scan(bytes[..<split]), scanner.scan(bytes[split...])].compactMap { $0?.port }
            #expect(found == [41373], "split at \(split)")
            #expect(scanner.announcement?.port == 41373)
        }
    }

    @Test(arguments: Fixtures.versions)
    func `a recorded server's port is found at each split of its output`(version: String) throws {
        for life in try Fixtures.lives(version) where life.port != nil {
            let lines = life.output.filter { $0.stream == "stdout" }.map { $0.line + "\n" }
            let bytes = Array(lines.joined().utf8)
            for split in 0...bytes.count {
                var scanner = BannerScanner()
                let found = [scanner.scan(bytes[..<split]), scanner.scan(bytes[split...])].compactMap { $0?.port }
                #expect(found == [life.port], "\(life.name), split at \(split)")
            }
        }
    }

    /// An agent also starts servers, prints logs, and may try to redirect requests to its own port.
    @Test(arguments: ["opencode server", "server"], ["127.0.0.1:5000", "localhost:5000", "[::1]:1", "0.0.0.0:65535"])
    func `a banner that an agent prints later is ignored`(phrase: String, address: String) {
        var scanner = BannerScanner()

        #expect(scanner.scan(Array(Self.v1.utf8)[...])?.port == 4096)

        for text in ["\(phrase) listening on http://\(address)\n", "\n\(Self.v1)", "\u{1B}[0m\(Self.v1)"] {
            #expect(scanner.scan(Array(text.utf8)[...]) == nil)
        }

        #expect(scanner.announcement == Announcement(port: 4096, family: .one))
    }

    @Test func `an unterminated control sequence hides only its own line`() {
        #expect(port(in: "\u{1B}]0;never ended\n" + Self.v1) == 4096)
        #expect(port(in: "\u{1B}[31\n" + Self.v1) == 4096)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Projects
import Testing

@Suite struct ProjectNameTests {
    private func name(_ segment: String) -> String? { ProjectName(percentEncoded: Array(segment.utf8)[...])?.string }

    @Test(arguments: [
        ("alpha", "alpha"), ("my.app", "my.app"), ("my%20app", "my app"), ("Gr%C3%BC%C3%9Fe", "Grüße"),
        ("Grüße", "Grüße"),
        ("a%25b", "a%b"), ("100%2525", "100%25"), ("a+b", "a+b"), ("a..", "a.."), ("-rf", "-rf"), ("a%5cb", "a\\b"),
        ("%F0%9F%98%80", "😀"), ("a%3Fb%23c", "a?b#c"),
    ])
    func `a path segment is percent-decoded exactly once`(segment: String, folder: String) {
        #expect(name(segment) == folder)
    }

    @Test(arguments: [
        "", ".", "..", "%2e", "%2e%2e", "%2E.", ".git", "%2egit", "a%2Fb", "a%2fb", "a/b", "%2F", "a%00b", "a%0Ab",
        "a%1Fb",
        "a%7Fb", "a%C2%85b", "a%C2%80", "a%C2%9F", "a%", "a%4", "a%4g", "a%G4", "%%", "a%%20", "%u0041", "%+1",
        "%C0%AE%C0%AE", "%C0%AF", "%E0%80%AF", "%ED%A0%80", "%F4%90%80%80", "%FF", "a%C3", "%80",
    ])
    func `each invalid segment is rejected`(segment: String) {
        #expect(name(segment) == nil)
    }

    @Test func `a name has at most 255 bytes`() {
        #expect(name(String(repeating: "a", count: 255)) != nil)
        #expect(name(String(repeating: "a", count: 256)) == nil)
        #expect(name(String(repeating: "%61", count: 255)) != nil)
        #expect(name(String(repeating: "%61", count: 256)) == nil)
        #expect(name(String(repeating: "%C3%BC", count: 127)) != nil)
        #expect(name(String(repeating: "%C3%BC", count: 128)) == nil)
    }

    @Test func `names are compared by their bytes`() throws {
        // Both names look like é and Swift's strings treat them as equal, but they are different names in a file
        // system.
        let composed = try #require(ProjectName("caf\u{E9}"))
        let decomposed = try #require(ProjectName("cafe\u{301}"))

        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
    }

    @Test func `a directory name is not percent-decoded`() {
        #expect(ProjectName("a%2Fb")?.string == "a%2Fb")
        #expect(ProjectName(directoryName: [0x61, 0xFF]) == nil)
    }

    @Test func `a random segment yields a safe name or none`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("%%%%2eEfF0cC8/.aü\u{0}".utf8)

        for _ in 0..<20_000 {
            let segment = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            guard let name = ProjectName(percentEncoded: segment[...]) else { continue }
            #expect(!name.bytes.contains(UInt8(ascii: "/")))
            #expect(!name.bytes.contains(0))
            #expect(name.bytes.first != UInt8(ascii: "."))
            #expect(ProjectName(directoryName: name.string.utf8) == name)
        }
    }
}

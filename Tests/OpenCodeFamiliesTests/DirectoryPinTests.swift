// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

/// Tests the directories in a request, for each of the three ways to name a directory and in every spelling.
@Suite struct DirectoryPinTests {
    private static let demo = DirectoryScope(folder: "/home/vibe/demo", resolved: "/home/vibe/demo")

    private func query(_ text: String, _ scope: DirectoryScope = demo) -> DirectoryPin.Violation? {
        DirectoryPin.violation(ofQuery: Array(text.utf8)[...], in: scope)
    }

    private func field(_ values: String..., scope: DirectoryScope = demo) -> DirectoryPin.Violation? {
        DirectoryPin.violation(ofFields: values.map { Array($0.utf8)[...] }, in: scope)
    }

    @Test(
        arguments: [
            "", "&", "a=b", "directory", "directory=", "location[directory]=", "location%5Bdirectory%5D=",
            "location[directory]", "location[directory]=&limit=5", "location[directory]=%20", "a=/home/vibe/other",
            "dir=/etc",
            "directory=/home/vibe/demo", "directory=/home/vibe/demo/", "directory=%2Fhome%2Fvibe%2Fdemo",
            "directory=%2fhome%2fvibe%2fdemo%2fsrc", "a=1&directory=/home/vibe/demo/src&b=2",
            "directory=%252Fhome%252Fvibe%252Fdemo", "location[directory]=/home/vibe/demo",
            "location%5Bdirectory%5D=%2Fhome%2Fvibe%2Fdemo", "location%5bdirectory%5d=/home/vibe/demo&limit=5",
            "%64irectory=/home/vibe/demo", "directory=.", "directory=src", "directory=src/..",
            "directory=/home/vibe/demo/a+b", "directory=/home/vibe/demo/100%25", "directory=/home/vibe/demo/100%",
            "directory=/home/vibe/demo/%C3%A9", "directory=/home/vibe/demo/\u{e9}",
            "directory=file:///home/vibe/demo", "directory=file:/home/vibe/demo/src",
            "directory=file://localhost/home/vibe/demo", "type=directory", "query=/home/vibe/other/directory",
            "mydirectory=/etc", "subdirectory=/etc", "directoryName=/etc", "directory_id=/etc", "workdirectory[]=/etc",
            "my%64irectory=/etc", "mylocation[directory]=/etc", "filter[directory]=/etc", "location_directory=/etc",
            "location=here", "directory=/home/vibe/demo&directory=/home/vibe/demo/src",
        ])
    func `a query without a directory, or with a directory in the project folder, is accepted`(text: String) {
        #expect(query(text) == nil)
    }

    @Test(
        arguments: [
            "directory=/home/vibe/other", "directory=/", "directory=/home/vibe", "directory=/home/vibe/demo2",
            "directory=%2Fhome%2Fvibe%2Fother", "directory=%2fhome%2fvibe%2fother", "a=1&directory=/etc&b=2",
            "directory=/home/vibe/demo/..", "directory=/home/vibe/demo/../other", "directory=..", "directory=../other",
            "directory=/home/vibe/demo/%2e%2e/other", "directory=/home/vibe/demo/%2E%2E%2Fother",
            // The value is encoded twice and three times.
            "directory=%252Fhome%252Fvibe%252Fother", "directory=%25252Fhome%25252Fvibe%25252Fother",
            "directory=/home/vibe/demo/%252e%252e/other",
            // The other directory is the first or the last of several values.
            "directory=/home/vibe/demo&directory=/home/vibe/other",
            "directory=/home/vibe/other&directory=/home/vibe/demo", "directory=&directory=/etc",
            // OpenCode 2's name of the parameter, and similar names.
            "location[directory]=/etc", "location%5Bdirectory%5D=%2Fetc", "location%5bdirectory%5d=/etc",
            "%6cocation[directory]=/etc", "location.directory=/etc", "location[directory][]=/etc", "directory[]=/etc",
            "directory[0]=/etc", "Directory=/etc", "DIRECTORY=/etc", "%64%69%72ectory=/etc", "%2564irectory=/etc",
            "location[%64irectory]=/etc", "location.%64irectory=/etc", "location[%2564irectory]=/etc",
            "location%5Bdirector%79%5D=/etc", "location%255Bdirectory%255D=/etc",
            "location[directory]x=/etc", "location%5Bdirectory%5D%zz=/etc", "location[a][directory]=/etc",
            "location[]={%22directory%22:%22/etc%22}",
            "?directory=/etc", "+directory=/etc", "directory+=/etc", "x-opencode-directory=/etc",
            "location={%22directory%22:%22/etc%22}", "location=%7B%22directory%22%3A%22%2Fetc%22%7D",
            // Values that decoders read differently, and bytes that some parsers treat as the end of a path or as part
            // of its syntax.
            "directory=%2Fhome%2Fvibe%2Fdemo%zz", "directory=/home/vibe/demo/%ff", "directory=/home/vibe/demo/%C0%AE",
            "directory=/home/vibe/demo%00/../other", "directory=/home/vibe/demo/%00", "directory=/home/vibe/demo%0a",
            "directory=~", "directory=~/other", "directory=%7E/other", "directory=~root",
            "directory=%20/home/vibe/other", "directory=+/etc", "directory=/etc%20",
            "directory=/home/vibe/demo/%ff%2fa/%2e%2e/%2e%2e/x",
            // A plus sign in a form means a space.
            "directory=/home/vibe/de+mo",
            "directory=file:///home/vibe/other", "directory=FILE:/etc", "directory=file://example.com/home/vibe/demo",
            #"directory=C:\Users\anna\demo"#, "directory=C%3A%5CUsers%5Canna", "location[directory]=c:/Users/anna",
            #"directory=\\host\share"#, "directory=%5C%5Chost%5Cshare", "directory=%255C%255Chost",
            "directory=file:etc", "directory=file%3A%2F%2F%2Fetc", "directory=file:///home/vibe/demo/%2e%2e/other",
        ])
    func `a query that names another directory, or an ambiguous one, is rejected`(text: String) {
        #expect(query(text) == .query)
    }

    @Test(
        arguments: [
            "", "/home/vibe/demo", "%2Fhome%2Fvibe%2Fdemo", "%2fhome%2fvibe%2fdemo%2fsrc", "/home/vibe/demo/src/",
            "/home/vibe/demo/a+b", "/home/vibe/demo/100%", ".", "src", "%252Fhome%252Fvibe%252Fdemo",
            "/home/vibe/demo/\u{e9}", "/home/vibe/demo, src",
        ])
    func `an x-opencode-directory field with a path in the project folder is accepted`(value: String) {
        // The last path begins with a folder named "demo, src".
        #expect(field(value) == (value.contains(",") ? .field : nil))
    }

    @Test(
        arguments: [
            "/home/vibe/other", "%2Fhome%2Fvibe%2Fother", "%252Fetc", "/", "..", "%2e%2e", "/home/vibe/demo/..",
            "/home/vibe/demo, /home/vibe/other", "/home/vibe/demo,/home/vibe/demo", "~", "file:///etc",
            "/home/vibe/demo%00", "/home/vibe/demo/%zz%2e",
        ])
    func `an x-opencode-directory field with another or an ambiguous path is rejected`(value: String) {
        #expect(field(value) == .field)
    }

    @Test(
        arguments: [
            ("", ""), ("a=b&&c", "a=b&c"), ("location%5Bdirectory%5D=%2Fhome%2Fanna%2Fdemo", ""),
            ("path=src&location[directory]=/home/anna/demo&type=file", "path=src&type=file"),
            ("location[directory]=/home/vibe/demo&directory=/etc", "location[directory]=/home/vibe/demo"),
            ("location={%22directory%22:%22/etc%22}&a=/etc", "a=/etc"), (#"directory=C:\x&b=%2F"#, "b=%2F"),
        ])
    func `only the parameters that name another directory are removed from a query`(query: String, kept: String) {
        #expect(DirectoryPin.query(Array(query.utf8)[...], keptIn: Self.demo) == Array(kept.utf8))
    }

    @Test func `a repeated x-opencode-directory field is rejected`() {
        #expect(field("/home/vibe/demo", "/home/vibe/demo") == .repeatedField)
        #expect(field("", "/home/vibe/other") == .repeatedField)
    }

    @Test func `a plus sign is a space in a query and a plus sign in a field`() {
        let spaced = DirectoryScope(folder: "/home/vibe/a b", resolved: "/home/vibe/a b")
        let plus = DirectoryScope(folder: "/home/vibe/a+b", resolved: "/home/vibe/a+b")

        #expect(query("directory=/home/vibe/a+b", spaced) == nil)
        #expect(query("directory=/home/vibe/a%20b", spaced) == nil)
        #expect(query("directory=/home/vibe/a+b", plus) == .query)
        #expect(query("directory=/home/vibe/a%2Bb", plus) == nil)
        #expect(field("/home/vibe/a+b", scope: plus) == nil)
        #expect(field("/home/vibe/a+b", scope: spaced) == .field)
    }

    /// A server that decodes the bytes of a target or field as ISO 8859-1 would open another folder. Clients therefore
    /// percent-encode the path.
    @Test func `an unencoded non-ASCII path must be in the project folder both as UTF-8 and as ISO 8859-1`() {
        let accented = DirectoryScope(folder: "/home/vibe/\u{e9}", resolved: "/home/vibe/\u{e9}")

        #expect(query("directory=/home/vibe/%C3%A9", accented) == nil)
        #expect(field("%2Fhome%2Fvibe%2F%C3%A9", scope: accented) == nil)
        #expect(field("/home/vibe/\u{e9}", scope: accented) == .field)
    }

    @Test func `a query for a directory whose name OpenCode would decode again is rejected`() {
        let percent = DirectoryScope(folder: "/home/vibe/%2F", resolved: "/home/vibe/%2F")

        // OpenCode decodes a query twice, and would open /home/vibe.
        #expect(query("directory=%2Fhome%2Fvibe%2F%252F", percent) == .query)
    }
}

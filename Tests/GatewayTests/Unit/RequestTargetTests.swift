import HTTPTypes
import Testing

@testable import Gateway

@Suite("Request targets: one way to read each (RFC 9112 §3.2)")
struct RequestTargetTests {
    private func parts(_ target: String) -> [String]? {
        RequestTarget(Array(target.utf8)).map {
            [String(decoding: $0.path, as: UTF8.self), String(decoding: $0.query, as: UTF8.self)]
        }
    }

    @Test(
        "The path ends at the first question mark; nothing is decoded",
        arguments: [
            ("/", "/", ""), ("/a/b", "/a/b", ""), ("/a?b?c", "/a", "?b?c"), ("/?", "/", "?"),
            ("//a/../b", "//a/../b", ""),
            ("/%2f%3F", "/%2f%3F", ""), ("*", "*", ""), ("", "", ""),
        ])
    func originForm(target: String, path: String, query: String) {
        #expect(parts(target) == [path, query])
    }

    @Test(
        "The authority of an absolute form is left out",
        arguments: [
            ("http://example.com/projects?a", "/projects", "?a"), ("HTTPS://[::1]:1//a", "//a", ""),
            ("hTTp://user@example.com/", "/", ""), ("http://a/http://b/c", "/http://b/c", ""),
        ])
    func absoluteForm(target: String, path: String, query: String) {
        #expect(parts(target) == [path, query])
    }

    @Test(
        "Any other form is none",
        arguments: [
            "a", "?a", "*a", "**", "http:/a", "http:///a", "http://", "http://a", "http://a?b", "http://?/a",
            "ftp://a/b", "example.com:443", " /a",
        ])
    func otherForms(target: String) {
        #expect(parts(target) == nil)
    }

    @Test(
        "A fragment is never sent: for one reader it would end the authority, for another belong to it",
        arguments: [
            "/projects#a", "/projects?a#b", "http://example.com#/projects", "http://a#b/projects", "#/projects", "*#",
        ])
    func fragments(target: String) {
        #expect(parts(target) == nil)
    }

    @Test(
        "A tail of the path is passed on with the query; without a tail it is the root",
        arguments: [
            ("/a/b?c", 2, "/b?c"), ("/a/b", 2, "/b"), ("/a?c", 2, "/?c"), ("/a", 2, "/"),
            ("http://example.com/a/b?c", 2, "/b?c"), ("/a/b?", 2, "/b?"),
        ])
    func tails(target: String, length: Int, passed: String) throws {
        let target = try #require(RequestTarget(Array(target.utf8)))
        #expect(String(decoding: target.from(target.path.dropFirst(length)), as: UTF8.self) == passed)
    }
}

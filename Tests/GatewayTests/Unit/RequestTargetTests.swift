// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestThreads
import Testing

@testable import GatewayCore

@Suite("Unambiguous request targets (RFC 9112 §3.2)", .onTestThreads)
struct RequestTargetTests {
    private func parts(_ target: String) -> [String]? {
        RequestTarget(Array(target.utf8)).map {
            [String(decoding: $0.path, as: UTF8.self), String(decoding: $0.query, as: UTF8.self)]
        }
    }

    @Test(
        arguments: [
            ("/", "/", ""), ("/a/b", "/a/b", ""), ("/a?b?c", "/a", "?b?c"), ("/?", "/", "?"),
            ("//a/../b", "//a/../b", ""),
            ("/%2f%3F", "/%2f%3F", ""), ("*", "*", ""), ("", "", ""),
        ])
    func `the path ends at the first question mark, and nothing is decoded`(target: String, path: String, query: String)
    {
        #expect(parts(target) == [path, query])
    }

    @Test(
        arguments: [
            ("http://example.com/projects?a", "/projects", "?a"), ("HTTPS://[::1]:1//a", "//a", ""),
            ("hTTp://user@example.com/", "/", ""), ("http://a/http://b/c", "/http://b/c", ""),
        ])
    func `the authority of an absolute form is ignored`(target: String, path: String, query: String) {
        #expect(parts(target) == [path, query])
    }

    @Test(
        arguments: [
            "a", "?a", "*a", "**", "http:/a", "http:///a", "http://", "http://a", "http://a?b", "http://?/a",
            "ftp://a/b", "example.com:443", " /a",
        ])
    func `a target that is not in origin, absolute or asterisk form is rejected`(target: String) {
        #expect(parts(target) == nil)
    }

    @Test(
        arguments: [
            "/projects#a", "/projects?a#b", "http://example.com#/projects", "http://a#b/projects", "#/projects", "*#",
        ])
    func `a target with a fragment is rejected`(target: String) {
        #expect(parts(target) == nil)
    }

    @Test(
        arguments: [
            ("/a/b?c", 2, "/b?c"), ("/a/b", 2, "/b"), ("/a?c", 2, "/?c"), ("/a", 2, "/"),
            ("http://example.com/a/b?c", 2, "/b?c"), ("/a/b?", 2, "/b?"),
        ])
    func `the remainder of a path is forwarded with its query, and an empty one as the root`(
        target: String, length: Int, passed: String
    ) throws {
        let target = try #require(RequestTarget(Array(target.utf8)))

        #expect(String(decoding: target.from(target.path.dropFirst(length)), as: UTF8.self) == passed)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import GatewayCore

@Suite("Paths and their templates")
struct PathPatternTests {
    @Test(
        arguments: [
            ("/health", "/health", [:], 7), ("/health", "/healthz", nil, 0), ("/health", "/healt", nil, 0),
            ("/health", "/health/", nil, 0), ("/health", "", nil, 0), ("/health", "*", nil, 0),
            ("/a/{name}/b", "/a/x/b", ["name": "x"], 6), ("/a/{name}/b", "/a//b", ["name": ""], 5),
            ("/a/{name}/b", "/a/x/y/b", nil, 0), ("/a/{name}/b", "/a/x/b/", nil, 0),
            ("/a/{name}/b", "/a/%2F/b", ["name": "%2F"], 8), ("/a/{name}", "/a/x", ["name": "x"], 4),
            ("/a/{name}", "/a", nil, 0), ("/a/{name}", "/a/x/", nil, 0),
            ("/a/{name}/b/{id}", "/a/x/b/y", ["name": "x", "id": "y"], 8),
            ("/a/{name}/b/{path}", "/a/x/b", ["name": "x"], 6), ("/a/{name}/b/{path}", "/a/x/b/", ["name": "x"], 6),
            ("/a/{name}/b/{path}", "/a/x/b/c/d", ["name": "x"], 6), ("/a/{name}/b/{path}", "/a/x/bc", nil, 0),
            // The bytes that represent parameters in a pattern have no meaning in a path.
            ("/a/{name}", "/a\u{0}", nil, 0), ("/a/{path}", "/a\u{1}", nil, 0),
        ] as [(String, String, [String: String]?, Int)])
    func `a pattern matches a whole path and captures its parameters`(
        template: String, path: String, parameters: [String: String]?, remainder: Int
    ) {
        let pattern = PathPattern(template)
        let bytes = Array(path.utf8)[...]
        let captures = pattern.match(bytes.span)

        #expect((captures != nil) == (parameters != nil))

        guard let captures, let parameters else { return }
        let found = pattern.parameters(of: bytes).mapValues { String(decoding: $0, as: UTF8.self) }

        #expect(found == parameters)

        if let first = pattern.names.first {
            #expect(String(decoding: bytes[captures.segment], as: UTF8.self) == parameters[first])
        }

        #expect(captures.remainder == remainder)
    }

    @Test func `patterns are equal if only their parameter names differ`() {
        #expect(PathPattern("/projects/{name}") == PathPattern("/projects/{project}"))
        #expect(PathPattern("/a/{b}/{path}") == PathPattern("/a/{c}/{path}"))

        for other in ["/projects/name", "/projects/{path}", "/projects/{name}/x", "/x/{name}", "/{projects}/{name}"] {
            #expect(PathPattern("/projects/{name}") != PathPattern(other))
        }
    }

    @Test(
        arguments: [
            ("a=1&b=2", "a", "1"), ("a=1&b=2", "b", "2"), ("a=1&a=2", "a", "1"), ("a", "a", ""), ("a=", "a", ""),
            ("a=b=c", "a", "b=c"), ("%61=x", "a", "x"), ("a=%C3%A9+%2B", "a", "\u{e9} +"), ("a=%zz%4", "a", "%zz%4"),
            ("", "a", nil), ("b=1", "a", nil), ("&&a=1", "a", "1"), ("=1", "", "1"), ("a=%ff", "a", "\u{fffd}"),
        ] as [(String, String, String?)])
    func `a query's parameters are decoded as application/x-www-form-urlencoded`(
        query: String, name: String, value: String?
    ) {
        #expect(RequestQuery(Array(query.utf8)[...])[name] == value)
    }
}

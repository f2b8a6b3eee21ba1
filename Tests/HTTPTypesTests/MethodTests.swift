// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("Methods (RFC 9110 §9)")
struct MethodTests {
    static let known: [(String, Method, isIdempotent: Bool)] = [
        ("GET", .get, true), ("HEAD", .head, true), ("POST", .post, false), ("PUT", .put, true),
        ("DELETE", .delete, true), ("PATCH", .patch, false), ("OPTIONS", .options, true), ("CONNECT", .connect, false),
        ("TRACE", .trace, true),
    ]

    @Test func `a method is recognized by its exact name only`() {
        for (name, method, _) in Self.known {
            #expect(Method(name: name) == method)
            for other in [name.lowercased(), name + " ", " " + name, name + "S", String(name.dropLast())] {
                #expect(Method(name: other) == .other)
            }
        }
    }

    @Test(arguments: ["", "PROPFIND", "QUERY", "*", "G\u{c9}T"])
    func `a method with any other name is recognized as other`(name: String) {
        #expect(Method(name: name) == .other)
    }

    @Test func `only GET, HEAD, PUT, DELETE, OPTIONS and TRACE are idempotent (RFC 9110, section 9.2.2)`() {
        for (_, method, isIdempotent) in Self.known { #expect(method.isIdempotent == isIdempotent) }

        #expect(!Method.other.isIdempotent)
    }
}

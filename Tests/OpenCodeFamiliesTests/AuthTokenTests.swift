// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The parameter auth_token of a request's query")
struct AuthTokenTests {
    private static func removed(_ target: String) -> String {
        String(decoding: AuthToken.removed(from: Array(target.utf8)[...]), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("/x?auth_token=abc", "/x"), ("/x?auth_token", "/x"), ("/x?auth_token=", "/x"),
            ("/x?a=1&auth_token=abc", "/x?a=1"), ("/x?auth_token=abc&a=%31", "/x?a=%31"),
            ("/x?a=1&auth_token=abc&b=2&&c", "/x?a=1&b=2&&c"), ("/x?auth_token=a&b&auth_token=c", "/x?b"),
            ("/x?%61uth_token=abc", "/x"), ("/x?auth%5Ftoken=abc", "/x"), ("/x?auth%5ftoken=abc", "/x"),
            ("/x?%61%75%74%68%5F%74%6F%6B%65%6E=abc", "/x"), ("/?auth_token=a=b=c", "/"), ("/x?auth_token=a?b", "/x"),
            ("/x?a=1?&auth_token=abc", "/x?a=1?"), ("/x?auth_token=a;b", "/x"),
            // Some routers treat the text after a semicolon as the query.
            ("/x;auth_token=abc", "/x"), ("/x;a&auth_token=abc", "/x;a"), ("/x;auth_token=abc?b=1", "/x?b=1"),
            ("/x;%61uth_token=a&b?auth_token=c&d", "/x;b?d"), ("/x;a?auth_token=b", "/x;a"),
        ])
    func `auth_token is removed in each spelling, and the rest of the target is unchanged`(target: String, left: String)
    {
        #expect(Self.removed(target) == left)
    }

    @Test(
        arguments: [
            "/", "/x", "/x?", "/x?a=1&b=2", "/x?token=abc", "/x?Auth_Token=abc", "/x?auth_tokens=abc",
            "/x?xauth_token=a",
            "/x?auth+token=abc", "/x?+auth_token=a", "/x?auth_token+=a", "/x?%2561uth_token=a", "/x?auth_toke%6=a",
            "/x?auth_toke%=a", "/x?a=auth_token", "/x?a=auth_token=1", "/x?a=b;auth_token=c", "/x/auth_token=abc",
            "/auth_token", "/x;a;auth_token=b", "/x?&&", "/x?=auth_token", "/x;", "/x?%",
        ])
    func `a target without auth_token is unchanged, byte for byte`(target: String) {
        #expect(Self.removed(target) == target)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A request target, split into path and query without decoding them (RFC 9112 §3.2).
struct RequestTarget {
    private let bytes: [UInt8]
    private let start: Int
    private let pathEnd: Int

    /// Splits a target in origin form, absolute form or asterisk form. Returns nil for any other form. The authority of
    /// the absolute form is ignored, because the gateway serves every host name alike.
    init?(_ target: [UInt8]) {
        // Reject a fragment, because clients never send one and it must not reach the instance. Parsers also disagree
        // about a `#` in an authority: one ends the authority there, and another includes the fragment.
        guard !target.contains(UInt8(ascii: "#")) else { return nil }
        var start = 0
        if let first = target.first, first != UInt8(ascii: "/"), target.elementsEqual([UInt8(ascii: "*")]) == false {
            guard let origin = Self.originForm(ofAbsolute: target[...]) else { return nil }
            start = origin.startIndex
        }
        bytes = target
        self.start = start
        pathEnd = target[start...].firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    }

    /// The path, beginning with `/`, or `*` for `OPTIONS *`.
    var path: ArraySlice<UInt8> { bytes[start..<pathEnd] }

    /// The query from the first `?` on, including the `?`; empty if there is none.
    var query: ArraySlice<UInt8> { bytes[pathEnd...] }

    /// Returns a target in origin form that consists of `tail`, the last part of the path, and the query. An
    /// empty tail becomes `/`.
    func from(_ tail: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        tail.isEmpty ? [UInt8(ascii: "/")] + query : bytes[tail.startIndex...]
    }

    private static let schemes = [Array("http://".utf8), Array("https://".utf8)]

    private static func originForm(ofAbsolute target: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for scheme in schemes where target.startsIgnoringCase(scheme) {
            let afterScheme = target.dropFirst(scheme.count)
            let authorityEnd = afterScheme.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            guard let authorityEnd, authorityEnd > afterScheme.startIndex else { return nil }
            return afterScheme[authorityEnd] == UInt8(ascii: "/") ? afterScheme[authorityEnd...] : nil
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

// length: 64

import OpenCodeFamilies

/// Checks that the gateway recognises every path that OpenCode's router would treat as the list of sessions, according
/// to a second implementation of the router. A plain path must have only one interpretation.
///
/// The input consists of a byte that selects the test case, and either a path or the bytes from which a path is built.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let way = input.byte()
    var path = [UInt8(ascii: "/")] + Array(input.remainder())
    if way & 1 == 1 { path = made(of: path) }
    let spelling = InstancePath.listSpelling(path[...], isPlain: false)
    for reading in [resolved(path), path] {
        let (kept, hasParameters) = cut(reading)
        guard isList(kept) else { continue }
        precondition(spelling != .no)
        if hasParameters { precondition(spelling == .withParameters) }
    }
    if isPlain(path) {
        precondition(InstancePath.listSpelling(path[...], isPlain: true) == spelling)
        precondition(
            InstancePath.session(path[...], isPlain: true) == InstancePath.session(path[...], isPlain: false))
    }
    return 0
}

/// Builds a path from parts with a special meaning.
private func made(of bytes: [UInt8]) -> [UInt8] {
    let segments = [
        "/", "/", "api", "session", "/api", "/session", ".", "..", "%2e", "%2F", "%73", "ession", "A", "PI", "\\", ";",
        "%3B", "x",
    ]
    return Array(("/" + bytes.map { segments[Int($0) % segments.count] }.joined()).utf8)
}

private func isPlain(_ path: [UInt8]) -> Bool {
    let pairs = zip(path, path.dropFirst()).contains {
        $0 == UInt8(ascii: "/") && ($1 == UInt8(ascii: "/") || $1 == UInt8(ascii: "."))
    }
    return !pairs && !path.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\\") }
}

/// Resolves a path as the URL standard defines: a backslash is a slash, and encoded dots count as dots.
private func resolved(_ path: [UInt8]) -> [UInt8] {
    var parts: [[UInt8]] = []
    let segments = path.dropFirst().split(omittingEmptySubsequences: false) {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
    }
    for (index, segment) in segments.enumerated() {
        let isLast = index == segments.count - 1
        switch String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".") {
        case ".": if isLast { parts.append([]) }
        case "..":
            _ = parts.popLast()
            if isLast { parts.append([]) }
        default: parts.append(Array(segment))
        }
    }
    return parts.reduce(into: []) { $0 += [UInt8(ascii: "/")] + $1 }
}

/// Cuts a path at the first semicolon, as a router does.
private func cut(_ path: [UInt8]) -> (path: [UInt8], hasParameters: Bool) {
    let kept = Array(path.prefix { $0 != UInt8(ascii: ";") })
    return (kept, kept.count < path.count)
}

/// Returns whether a router would find the list of sessions at the path. The router decodes all characters except
/// reserved characters, and ignores repeated and final slashes and the case of letters.
private func isList(_ path: [UInt8]) -> Bool {
    var decoded: [UInt8] = []
    var remaining = path[...]
    while let byte = remaining.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            decoded.append(byte)
            continue
        }
        let digits = remaining.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return false }
        remaining = remaining.dropFirst(2)
        if Array(";/?:@&=+$,#".utf8).contains(value) {
            decoded += [byte] + digits
        } else {
            decoded.append(value)
        }
    }
    let parts = decoded.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self).lowercased() }
    return parts == ["api", "session"]
}

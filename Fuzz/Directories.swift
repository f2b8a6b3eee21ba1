// SPDX-License-Identifier: Apache-2.0

// length: 256

import OpenCodeFamilies

private let folder = "/home/vibe/demo"
private let scope = DirectoryScope(folder: folder, resolved: folder)

/// Checks that a directory that the gateway accepts is also in the project's folder as OpenCode interprets the request.
/// A second parser of queries, fields and paths interprets the request as OpenCode does. Every properly encoded path in
/// the folder must be accepted.
///
/// The input consists of a byte that selects how the request names the directory, and the query, the field's value or a
/// path.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let way = input.byte()
    let bytes = input.remainder()
    switch way % 4 {
    case 0: if DirectoryPin.violation(ofQuery: bytes, in: scope) == nil { checkQuery(bytes) }
    case 1: checkQueryValue(bytes, way & 4 == 0 ? "directory=" : "location%5Bdirectory%5D=")
    case 2: if DirectoryPin.violation(ofFields: [bytes], in: scope) == nil { check([decodeComponent(Array(bytes))]) }
    default: checkPathInside(bytes)
    }
    return 0
}

private func checkQueryValue(_ value: ArraySlice<UInt8>, _ name: String) {
    let query = Array(name.utf8) + value
    if DirectoryPin.violation(ofQuery: query[...], in: scope) == nil { checkQuery(query[...]) }
}

/// Checks the first and the last parameter of each name, decoded once as a form and once more.
private func checkQuery(_ query: ArraySlice<UInt8>) {
    for wanted in ["directory", "location[directory]"] {
        let values = query.split(separator: UInt8(ascii: "&")).compactMap { parameter -> [UInt8]? in
            let equals = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard decodeForm(parameter[..<equals]).elementsEqual(wanted.utf8) else { return nil }
            return decodeForm(parameter[equals...].dropFirst())
        }
        for value in [values.first, values.last] {
            if let value { check([value, decodeComponent(value)]) }
        }
    }
}

private func check(_ directories: [[UInt8]]) {
    for directory in directories where !directory.isEmpty { precondition(isInside(resolve(directory))) }
}

private func isInside(_ path: [UInt8]) -> Bool {
    path.elementsEqual(folder.utf8) || path.starts(with: (folder + "/").utf8)
}

/// Checks a path below the folder without escapes, control characters and `..`, encoded as clients do.
private func checkPathInside(_ bytes: ArraySlice<UInt8>) {
    guard String(validating: bytes, as: UTF8.self) != nil,
        // The gateway also checks a path with a trailing space without that space, so exclude such a path.
        bytes.last != UInt8(ascii: " "), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "%") }),
        !bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) })
    else { return }
    let encoded = Array((folder + "/").utf8).flatMap(escape) + bytes.flatMap(escape)
    precondition(DirectoryPin.violation(ofQuery: (Array("directory=".utf8) + encoded)[...], in: scope) == nil)
    precondition(DirectoryPin.violation(ofFields: [encoded[...]], in: scope) == nil)
}

private func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}

/// Decodes like `URLSearchParams`: `+` is a space, invalid escapes are unchanged, and invalid UTF-8 is replaced.
private func decodeForm(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return Array(String(decoding: unescape(spaced).bytes, as: UTF8.self).utf8)
}

/// Decodes like `decodeURIComponent`. If that function would throw, returns the text unchanged.
private func decodeComponent(_ bytes: [UInt8]) -> [UInt8] {
    let (decoded, isWhole) = unescape(bytes)
    return isWhole && String(validating: decoded, as: UTF8.self) != nil ? decoded : bytes
}

private func unescape(_ bytes: [UInt8]) -> (bytes: [UInt8], isWhole: Bool) {
    var decoded: [UInt8] = []
    var isWhole = true
    var index = 0
    while index < bytes.count {
        let digits = bytes.dropFirst(index + 1).prefix(2)
        if bytes[index] == UInt8(ascii: "%") {
            if digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                index += 3
                continue
            }
            isWhole = false
        }
        decoded.append(bytes[index])
        index += 1
    }
    return (decoded, isWhole)
}

/// Resolves a path in the folder like `path.resolve`.
private func resolve(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let whole = path.first == slash ? path : Array((folder + "/").utf8) + path
    var parts: [ArraySlice<UInt8>] = []
    for part in whole.split(separator: slash) where !part.elementsEqual(".".utf8) {
        if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    return [slash] + parts.joined(separator: [slash])
}

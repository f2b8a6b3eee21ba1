// SPDX-License-Identifier: Apache-2.0

// length: 128

import OpenCodeFamilies

private let token = Array("auth_token".utf8)

/// Checks that the target for the instance contains no `auth_token`, in whichever way a router parses the target.
/// Nothing else may be removed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let target = Array(UnsafeBufferPointer(start: data, count: count))
    let left = Array(AuthToken.removed(from: target[...]))
    // The query of a URL begins at the question mark. For some routers, the query can also begin at an earlier
    // semicolon.
    for start in ["?", "?;"] {
        precondition(!parameters(of: left, after: Array(start.utf8)).contains(where: isToken))
    }
    let readings = ["?", "?;"].map { parameters(of: target, after: Array($0.utf8)) }
    if readings.joined().contains(where: isToken) { precondition(left != target) }
    // Nothing is removed if no parser, however unusual, could find the token.
    if !target.split(whereSeparator: { "?;&".utf8.contains($0) }).contains(where: isToken) {
        precondition(left == target)
    }
    precondition(Array(AuthToken.removed(from: left[...])) == left)
    precondition(isSubsequence(left, of: target))
    // Whether a request with POST begins a turn depends on the path alone.
    let path = left.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }
    precondition(TurnRoutes.contains("POST", left[...]) == TurnRoutes.contains("POST", path))
    precondition(!TurnRoutes.contains("GET", left[...]))
    return 0
}

private func parameters(of target: [UInt8], after starts: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let start = target.firstIndex(where: starts.contains) else { return [] }
    return target[(start + 1)...].split(separator: UInt8(ascii: "&"))
}

private func isToken(_ parameter: ArraySlice<UInt8>) -> Bool {
    let name = Array(parameter.prefix { $0 != UInt8(ascii: "=") })
    var decoded: [UInt8] = []
    var index = 0
    while index < name.count {
        if name[index] == UInt8(ascii: "%"), index + 2 < name.count,
            let byte = UInt8(String(decoding: name[(index + 1)...(index + 2)], as: UTF8.self), radix: 16),
            name[index + 1] != UInt8(ascii: "+")
        {
            decoded.append(byte)
            index += 3
        } else {
            decoded.append(name[index] == UInt8(ascii: "+") ? 0x20 : name[index])
            index += 1
        }
    }
    return decoded == token
}

private func isSubsequence(_ part: [UInt8], of whole: [UInt8]) -> Bool {
    var remaining = part[...]
    for byte in whole where byte == remaining.first { remaining.removeFirst() }
    return remaining.isEmpty
}

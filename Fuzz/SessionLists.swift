// SPDX-License-Identifier: Apache-2.0

// length: 300

import OpenCodeFamilies

private let folder = "/home/vibe/demo"
private let scope = DirectoryScope(folder: folder, resolved: folder)
private let unshared = OpenCodeProject(id: Array("own".utf8), directory: Array(folder.utf8), isShared: false)
private let shared = OpenCodeProject(id: Array("own".utf8), directory: Array(folder.utf8), isShared: true)

/// Checks that a forwarded request for the list of sessions lists only the project's own sessions, according to a
/// second parser of queries and cursors.
///
/// The input consists of a byte that selects the test case, a byte that selects the OpenCode project of the folder
/// (unshared, shared or unknown), and either a query or the content of a cursor.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let isCursor = input.byte() & 1 == 1
    let project = [unshared, shared, nil][Int(input.byte() % 3)]
    let remaining = Array(input.remainder())
    let query = isCursor ? Array("limit=2&cursor=".utf8) + base64(remaining) : remaining
    // The gateway has already rejected directories outside the project, so skip such an input.
    guard DirectoryPin.violation(ofQuery: query[...], in: scope) == nil else { return 0 }
    switch SessionListQuery(query[...]).narrowed(to: project, in: scope) {
    case .unchanged: check(query, project)
    case .query(let new): check(new, project)
    case .refused: break
    }
    return 0
}

/// Checks the query as OpenCode parses it: the first and the last parameter of each name count.
private func check(_ query: [UInt8], _ project: OpenCodeProject?) {
    precondition(query.first != UInt8(ascii: "?") || values("?project", query).isEmpty)
    let cursors = values("cursor", query)
    guard cursors.isEmpty else {
        for cursor in [cursors[0], cursors[cursors.count - 1]] { checkCursor(cursor, project) }
        return
    }
    let directories = values("directory", query)
    let projects = values("project", query)
    for name in projects { precondition(name == project?.id) }
    let areDirectoriesInside = !directories.isEmpty && directories.allSatisfy { !$0.isEmpty && scope.contains($0[...]) }
    precondition(areDirectoriesInside || !projects.isEmpty && project?.isShared == false)
}

private func checkCursor(_ text: [UInt8], _ project: OpenCodeProject?) {
    guard let json = decode(text), JSONReader.isValid(json), let members = members(json) else { return }
    let directory = members.last { $0.key.elementsEqual("directory".utf8) }?.value
    let id = members.last { $0.key.elementsEqual("project".utf8) }?.value
    let isInside = directory.map { $0.first == UInt8(ascii: "/") && scope.contains($0[...]) } ?? false
    precondition(isInside || project.map { !$0.isShared && $0.id == id } ?? false)
}

/// Returns the top-level members of an object whose values are strings; the values of other members are empty.
private func members(_ json: [UInt8]) -> [(key: [UInt8], value: [UInt8])]? {
    var found: [(key: [UInt8], value: [UInt8])] = []
    var depth = 0
    var key: [UInt8]?
    var index = 0
    while index < json.count {
        let byte = json[index]
        index += 1
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth == 0, byte == UInt8(ascii: "[") { return nil }
            if depth == 1, let name = key { found.append((name, [])) }
            depth += 1
            key = nil
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "\""):
            let start = index - 1
            while index < json.count, json[index] != UInt8(ascii: "\"") {
                index += json[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
            guard index <= json.count, depth == 1 else { continue }
            let text = JSONReader.string(json[start..<index]) ?? []
            if let name = key {
                found.append((name, text))
                key = nil
            } else {
                key = text
            }
        case UInt8(ascii: ","): if depth == 1 { key = nil }
        default: break
        }
    }
    return depth == 0 ? found : nil
}

/// Returns the non-empty values of a name, decoded as a form.
private func values(_ wanted: String, _ query: [UInt8]) -> [[UInt8]] {
    query.split(separator: UInt8(ascii: "&")).compactMap { parameter in
        let equals = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
        guard decodeForm(parameter[..<equals]).elementsEqual(wanted.utf8) else { return nil }
        let value = decodeForm(parameter[equals...].dropFirst())
        return value.isEmpty ? nil : value
    }
}

private func decodeForm(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var remaining = bytes
    while let byte = remaining.popFirst() {
        if byte == UInt8(ascii: "%"), remaining.count >= 2,
            let value = UInt8(String(decoding: remaining.prefix(2), as: UTF8.self), radix: 16),
            remaining.prefix(2).allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        {
            decoded.append(value)
            remaining = remaining.dropFirst(2)
        } else {
            decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return Array(String(decoding: decoded, as: UTF8.self).utf8)
}

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

private func base64(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    }
    return text
}

/// Decodes like Node's `Buffer.from(text, "base64")`: either alphabet, up to the first `=`, skipping anything else.
private func decode(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
        let plain = byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        guard let value = alphabet.firstIndex(of: plain) else { continue }
        bits = (bits << 6 | value) & 0xFFFF
        count += 6
        if count >= 8 {
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
    }
    return bytes
}

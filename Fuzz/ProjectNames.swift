// SPDX-License-Identifier: Apache-2.0

// length: 300

import Instances
import Projects

private let known = ["alpha", "beta", "a b", "gr\u{fc}n"].compactMap { ProjectName($0) }
private let table = RoutingTable(known.map { RoutingTable.Route(name: $0, state: .stopped, endpoint: nil) })
private let hexadecimal = Array("0123456789abcdef".utf8)

/// Checks that a project's name is safe as a folder name, and is unchanged after conversions to text and to
/// percent-encoding and back. The name in a path must be decoded exactly once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let fromFolder = ProjectName(directoryName: bytes)
    precondition((fromFolder != nil) == isName(bytes))
    if let name = fromFolder {
        precondition(name.bytes == bytes && Array(name.string.utf8) == bytes && ProjectName(name.string) == name)
        let encoded = bytes.flatMap { [UInt8(ascii: "%"), hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
        precondition(ProjectName(percentEncoded: encoded[...]) == name)
    }
    let fromPath = ProjectName(percentEncoded: bytes[...])
    let decoded = decode(bytes)
    precondition((fromPath != nil) == (decoded.map(isName) ?? false))
    precondition(fromPath.map { $0.bytes == decoded } ?? true)
    // A request finds only the route with its name.
    precondition(table.route(forSegment: bytes[...])?.name == fromPath.flatMap { known.contains($0) ? $0 : nil })
    return 0
}

private func isName(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, bytes.count <= 255, bytes[0] != UInt8(ascii: ".") else { return false }
    var previous: UInt8 = 0
    for byte in bytes {
        if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") { return false }
        // C1 controls are C2 80 to C2 9F.
        if previous == 0xC2, byte < 0xA0 { return false }
        previous = byte
    }
    return String(validating: bytes, as: UTF8.self) != nil
}

private func decode(_ bytes: [UInt8]) -> [UInt8]? {
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "%") {
            guard index + 2 < bytes.count, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) else {
                return nil
            }
            decoded.append(high * 16 + low)
            index += 3
        } else {
            decoded.append(bytes[index])
            index += 1
        }
    }
    return decoded
}

private func digit(_ byte: UInt8) -> UInt8? {
    hexadecimal.firstIndex(of: (0x41...0x46).contains(byte) ? byte + 0x20 : byte).map { UInt8($0) }
}

// SPDX-License-Identifier: Apache-2.0

// length: 640

import OpenCodeFamilies

/// Checks that the scanner finds an announced port wherever the output is split, and finds a port only in a line that
/// is an announcement.
///
/// The input consists of a byte that sets the size of the chunks, and the output.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let chunk = Int(input.byte()) + 1
    let output = Array(input.remainder())
    var whole = BannerScanner()
    let port = whole.scan(output[...])?.port
    precondition(whole.announcement?.port == port && port != 0)
    precondition(port == scan(output, chunk: chunk))
    // Without colours, the announcement is a separate line.
    guard !output.contains(0x1B) else { return 0 }
    let lines = output.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.dropLast()
    precondition(port == lines.lazy.compactMap(announcement).first)
    return 0
}

private func scan(_ output: [UInt8], chunk: Int) -> UInt16? {
    var scanner = BannerScanner()
    var port: UInt16?
    for start in stride(from: 0, to: output.count, by: chunk) {
        let found = scanner.scan(output[start..<min(start + chunk, output.count)])
        precondition(found == nil || port == nil)
        port = port ?? found?.port
    }
    precondition(scanner.announcement?.port == port)
    return port
}

private let phrases = ["opencode server listening on http://", "server listening on http://"].map { Array($0.utf8) }

/// Returns the port of an announcement line, which consists of the phrase, the host, a colon, the port, and optionally
/// a path.
private func announcement(_ line: ArraySlice<UInt8>) -> UInt16? {
    guard line.count <= 512, let phrase = phrases.first(where: { line.starts(with: $0) }) else { return nil }
    let authority = line.dropFirst(phrase.count).prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
    let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count > 1, let digits = parts.last, (1...5).contains(digits.count),
        digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
    else { return nil }
    let host = String(decoding: authority.dropLast(digits.count + 1), as: UTF8.self)
    let isHost = parts.count == 2 && !host.isEmpty && host.utf8.allSatisfy { isAmong($0, "-.") || isLetterOrDigit($0) }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let address = isBracketed ? host.utf8.dropFirst().dropLast() : host.utf8[...]
    let isAddress =
        address.contains(UInt8(ascii: ":")) && address.allSatisfy { isAmong($0, ":.abcdefABCDEF0123456789") }
    return isHost || isAddress ? port : nil
}

private func isAmong(_ byte: UInt8, _ characters: StaticString) -> Bool {
    UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount).contains(byte)
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}

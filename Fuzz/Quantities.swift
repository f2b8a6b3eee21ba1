// SPDX-License-Identifier: Apache-2.0

// length: 128

import Encodings
import EnvironmentFiles

@testable import Settings

/// Checks that every accepted duration, size, address and command is unchanged after it is written and parsed again.
/// The limits of settings do not apply here. Every list of words must be writable as a command.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    if let duration = try? Quantity.parseDuration(text) {
        precondition(duration >= .zero && (try? Quantity.parseDuration(duration.text(.setting))) == duration)
    }
    if let size = try? Quantity.parseSize(text) {
        precondition(size >= 0 && (try? Quantity.parseSize(Quantity.text(size: size))) == size)
    }
    if let address = try? ListenAddress.parse(text) {
        precondition((try? ListenAddress.parse(address.description)) == address)
        precondition(address.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
    if let words = try? CommandWords.parse(text) {
        precondition(words.first?.isEmpty == false && read(words))
        precondition(words.reduce(0) { $0 + $1.utf8.count } <= text.utf8.count)
    }
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    precondition(words.first?.isEmpty ?? true || read(words))
    return 0
}

/// Returns whether words remain unchanged, byte by byte, when they are written and parsed again.
private func read(_ words: [String]) -> Bool {
    guard let again = try? CommandWords.parse(CommandWords.text(words)), again.count == words.count else {
        return false
    }
    return zip(again, words).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
}

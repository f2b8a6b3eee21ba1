// SPDX-License-Identifier: Apache-2.0

// length: 128

@testable import Settings

private let blank = Configuration()

/// Checks that an accepted value is unchanged after it is printed and parsed again. The message about a rejected value
/// must be one line that contains no secret.
///
/// The input consists of a byte that selects the setting, and the text of the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let setting = Settings.table[Int(input.byte()) % Settings.table.count]
    let text = String(decoding: input.remainder(), as: UTF8.self)
    var configuration = blank
    do {
        try setting.set(text, from: .environment("X"), in: &configuration)
    } catch {
        precondition(
            error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        precondition(!setting.isSecret || text.utf8.count < 12 || !error.description.contains(text))
        return 0
    }
    let printed = setting.text(in: configuration)
    guard !setting.isSecret else {
        precondition(printed == Secret.mask && configuration.authSecret?.bytes.elementsEqual(text.utf8) == true)
        return 0
    }
    var again = blank
    guard (try? setting.set(printed, from: .environment("X"), in: &again)) != nil else {
        preconditionFailure("a value is not read back")
    }
    precondition(setting.text(in: again) == printed && again.limits == configuration.limits)
    precondition(again.listen == configuration.listen && again.opencode == configuration.opencode)
    precondition(again.home.utf8.elementsEqual(configuration.home.utf8) && again.threads == configuration.threads)
    precondition(!configuration.listen.host.utf8.contains { $0 < 0x20 })
    return 0
}

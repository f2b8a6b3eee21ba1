// SPDX-License-Identifier: Apache-2.0

// length: 200

import EnvironmentFiles

@testable import Settings

private let path = "/keys"
private let defaults = SystemDefaults(home: "/home/vibe", stateFolder: "/home/vibe/.local/state", processors: 2)

/// Checks that each key that the gateway accepts from a key file is a line of the file and long enough. No message
/// about a key file or configuration file may contain any of the file's content.
///
/// The input consists of a byte that selects the kind of file, and the content of the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let isKeyFile = input.byte() & 1 == 0
    let content = Array(input.remainder())
    if isKeyFile { checkKeys(content) } else { checkConfiguration(content) }
    return 0
}

private func checkKeys(_ content: [UInt8]) {
    let lines = content.split(separator: 10, omittingEmptySubsequences: false).map { line in
        Array(line.last == 13 ? line.dropLast() : line)
    }
    do {
        let keys = try KeyFile.parse(content, path: path)
        precondition((1...KeyFile.limit).contains(keys.count))
        for key in keys {
            precondition(key.secret.bytes.count >= 16 && lines.contains(key.secret.bytes))
            precondition(key.secret.bytes.first != UInt8(ascii: "#"))
            precondition(!key.secret.bytes.contains { $0 < 0x20 || $0 == 0x7F })
        }
    } catch {
        check(error)
    }
}

private func checkConfiguration(_ content: [UInt8]) {
    let sources = SettingSources(flags: [], environment: ["VIBE_CONFIG": path], defaults: defaults)
    let resolution = sources.resolve(
        SettingFiles { (path, _) throws(PrivateFileError) in
            guard path == "/keys" else { throw PrivateFileError(.missing, "\(path) does not exist.") }
            return content
        })
    for error in resolution.errors { check(error) }
    precondition(resolution.configuration.keys.allSatisfy { $0.secret.bytes.count >= 16 })
}

private func check(_ error: SettingError) {
    precondition(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    precondition(error.description.utf8.count < 1000)
}

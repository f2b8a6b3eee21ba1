// SPDX-License-Identifier: Apache-2.0

// length: 300

import Systemd

/// A process's name, which any program can choose itself, does not affect the other fields.
///
/// The input is a line of /proc/PID/stat, and a name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    _ = ProcessStatus(bytes)
    let line = Array("4321 (".utf8) + bytes + Array(") S 17 4300 4200 0 0 0 0 0 0 0 0 0 0 0 20 0 11 0 987 1 2\n".utf8)
    guard let status = ProcessStatus(line) else { preconditionFailure("a process is not understood") }
    precondition(status.identity == ProcessIdentity(number: 4321, startTime: 987))
    precondition(status.parent == 17 && status.group == 4300 && status.session == 4200 && !status.hasEnded)
    return 0
}

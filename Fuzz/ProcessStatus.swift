// SPDX-License-Identifier: Apache-2.0

// length: 300

import Systemd

/// Checks that a process's name does not affect the other fields of the process's status. A program can choose its name
/// itself.
///
/// The input is used twice: as a line of /proc/PID/stat, and as a name in a valid line.
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

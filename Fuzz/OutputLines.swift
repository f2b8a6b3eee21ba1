// SPDX-License-Identifier: Apache-2.0

// length: 128

import Supervisors

/// Checks that the lines of a child's output do not depend on where the output is split. No line may be empty or
/// contain a line feed.
///
/// The input consists of a byte that sets the size of the chunks, and the output.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let chunk = Int(input.byte()) + 1
    let output = Array(input.remainder())
    let whole = lines(output, chunk: max(1, output.count))
    precondition(whole == lines(output, chunk: chunk))
    for line in whole { precondition(!line.isEmpty && !line.utf8.contains(0x0A)) }
    return 0
}

private func lines(_ output: [UInt8], chunk: Int) -> [String] {
    var splitter = OutputLines()
    var lines: [String] = []
    for start in stride(from: 0, to: output.count, by: chunk) {
        lines += splitter.split(Array(output[start..<min(start + chunk, output.count)]))
    }
    return lines + (splitter.finish().map { [$0] } ?? [])
}

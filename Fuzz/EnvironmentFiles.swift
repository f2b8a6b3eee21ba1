// SPDX-License-Identifier: Apache-2.0

// length: 200

import EnvironmentFiles

private let path = "/etc/env"

/// Checks that the names in the parsed file are valid, values contain no NUL, line numbers increase, and messages
/// contain none of the file's content. If the assignments are written with single quotes and parsed again, they must be
/// unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let lines = 1 + bytes.count { $0 == 10 || $0 == 13 }
    let file: EnvironmentFile
    do {
        file = try EnvironmentFile(parsing: bytes, path: path)
    } catch {
        check(error, lines)
        return 0
    }
    precondition(!bytes.contains(0))
    for problem in file.ignoredLines { check(problem, lines) }
    var previous = 0
    for assignment in file.assignments {
        precondition((previous + 1...lines).contains(assignment.line))
        previous = assignment.line
        precondition(isName(assignment.name) && !assignment.value.utf8.contains(0))
    }
    let written = file.assignments.map { "\($0.name)='\($0.value.split("'").joined(separator: #"'"'"'"#))'\n" }.joined()
    guard let again = try? EnvironmentFile(parsing: Array(written.utf8), path: path) else {
        preconditionFailure("what was written is not read back")
    }
    precondition(again.ignoredLines.isEmpty && again.assignments.map(\.name) == file.assignments.map(\.name))
    precondition(
        zip(again.assignments, file.assignments).allSatisfy { $0.value.utf8.elementsEqual($1.value.utf8) })
    return 0
}

private func check(_ problem: EnvironmentFileProblem, _ lines: Int) {
    precondition((1...lines).contains(problem.line) && problem.path == path)
    precondition(
        problem.description.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && problem.description.utf8.count < 140)
}

private func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { $0 == 0x5F || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & ~0x20) }
}

extension String {
    fileprivate func split(_ separator: Unicode.Scalar) -> [String] {
        unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The failure of a system call, with its error number.
package struct SystemCallError: Error, Sendable, CustomStringConvertible {
    /// The name of the system call, as in its man page.
    package let call: String
    /// The error number, as in errno(3).
    package let code: Int32

    /// Creates an error for `call` with the given error number.
    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Whether the process or the machine has no descriptor left.
    package var isLackOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// The call and the system's description of the error number.
    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Runs a system call that returns -1 on failure, repeats it after an interruption, and throws its error number.
@discardableResult
func check(_ call: String, _ body: () -> Int32) throws(SystemCallError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        guard errno == EINTR else { throw SystemCallError(call: call, code: errno) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The failure of a call into libsystemd or the kernel.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    /// The function that failed, as named in its man page.
    package let operation: String
    /// The positive error number (errno(3)).
    package let code: Int32
    /// The object of the operation, such as a program, a descriptor or a signal.
    package let detail: String

    /// Creates an error for the failure of `operation` on `detail`, with the error number `code`.
    package init(operation: String, code: Int32, detail: String) {
        self.operation = operation
        self.code = code
        self.detail = detail
    }

    /// The error as a message without a full stop.
    package var description: String { "\(operation) failed for \(detail): \(reason)" }

    /// The error number in words.
    package var reason: String { Self.reason(of: code) }

    /// Throws if a libsystemd call returned a negative error number.
    static func check(
        _ result: Int32, _ operation: String, detail: @autoclosure () -> String
    ) throws(SystemdError) {
        if result < 0 { throw SystemdError(operation: operation, code: -result, detail: detail()) }
    }

    /// Returns the text of an error number (errno(3)).
    package static func reason(of code: Int32) -> String {
        // Use strerror_r, because strerror shares one buffer between threads.
        let capacity = 256
        return String(unsafeUninitializedCapacity: capacity) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, strerror_r(code, start, capacity) == 0 else { return 0 }
                return strnlen(start, capacity)
            }
        }
    }
}

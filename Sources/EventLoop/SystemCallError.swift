import Glibc

/// A system call failed.
package struct SystemCallError: Error, Sendable, CustomStringConvertible {
    /// The call, as its man page is named.
    package let call: String
    /// The error number (errno(3)).
    package let code: Int32

    /// An error of `call` with this number.
    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Whether the process or the machine has no descriptor left.
    package var isLackOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// The call and the system's own words for the number.
    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Runs a system call that answers -1 on failure, again after an interruption, and keeps its error number.
@discardableResult
func check(_ call: String, _ body: () -> Int32) throws(SystemCallError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        guard errno == EINTR else { throw SystemCallError(call: call, code: errno) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Calls libc functions, preserves errno, and repeats interrupted calls.
enum SystemCall {
    /// Returns the result of `body`. While a signal interrupts `body` (EINTR), it is called again.
    static func check(_ operation: String, _ body: () -> Int32) throws -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw TestKitError.system(operation: operation, code: code) }
        }
    }

    /// Returns the text from strerror(3) for a code, and the code itself.
    static func message(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "errno \(code)" }
        return "\(String(cString: text)) (errno \(code))"
    }

    /// Waits with poll(2) for events on one or two descriptors. Returns false if the deadline passes first.
    static func wait(_ descriptors: inout [pollfd], until deadline: Deadline) throws -> Bool {
        while true {
            let ready = poll(&descriptors, nfds_t(descriptors.count), deadline.remainingMilliseconds)
            if ready > 0 { return true }
            if ready == 0 {
                if deadline.hasPassed { return false }
                continue
            }
            let code = errno
            if code != EINTR { throw TestKitError.system(operation: "poll", code: code) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Random bytes from the kernel's generator, suitable for keys and passwords.
package enum RandomBytes {
    /// Returns `count` random bytes in lower-case hexadecimal digits, two for each byte. The digits may be a secret, so
    /// libsodium encodes them in a time that does not depend on the bytes' values. `Hexadecimal` does not have this
    /// property.
    package static func hex(_ count: Int) -> String {
        let bytes = bytes(count)
        let length = 2 * count + 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text in
            // sodium_bin2hex writes a NUL-terminated string of that length.
            guard let start = text.baseAddress, sodium_bin2hex(start, length, bytes, bytes.count) != nil else {
                return ""
            }
            return String(cString: start)
        }
    }

    /// Returns the given number of random bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        Library.require()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // randombytes_buf takes a C pointer and a length.
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            initialized = count
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Random bytes from the kernel's generator, suitable for keys and passwords.
package enum RandomBytes {
    /// Returns `count` random bytes as twice as many hexadecimal digits in lower case.
    package static func hex(_ count: Int) -> String { Library.hexadecimal(bytes(count)) }

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

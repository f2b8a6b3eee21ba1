internal import CSodium

/// Random bytes from the kernel's generator, fit for keys and passwords.
package enum RandomBytes {
    /// `count` random bytes as twice as many hexadecimal digits, lower case.
    package static func hex(_ count: Int) -> String { Library.hexadecimal(bytes(count)) }

    /// `count` random bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        Library.require()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // randombytes_buf fills C memory: the buffer's start and length.
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            initialized = count
        }
    }
}

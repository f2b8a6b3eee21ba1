// SPDX-License-Identifier: Apache-2.0

/// The CRC-32C checksum of iSCSI (RFC 3720 §B.4), computed sixteen bytes at a time.
enum CRC32C {
    private static let step = 16

    /// Sixteen consecutive tables. Table n contains the checksums of a byte that is followed by n zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: step * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1 }
            tables[byte] = remainder
        }
        for index in 256..<(step * 256) {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Returns the checksum of `bytes`, continued from `checksum`, the checksum of the preceding bytes.
    static func checksum(_ bytes: UnsafeRawBufferPointer, after checksum: UInt32) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            guard let table = tables.baseAddress, let start = bytes.baseAddress else { return checksum }
            var crc = ~checksum
            var index = 0
            while index &+ step <= bytes.count {
                let first = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let second = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
                crc = eight(first ^ UInt64(crc), table + 8 * 256) ^ eight(second, table)
                index &+= step
            }
            while index < bytes.count {
                crc = crc >> 8 ^ table[Int((crc ^ UInt32(start.load(fromByteOffset: index, as: UInt8.self))) & 0xFF)]
                index &+= 1
            }
            return ~crc
        }
    }

    /// Returns the contribution of eight bytes, from the eight tables that begin at `table`. The last byte uses the
    /// first of these tables.
    @inline(__always) private static func eight(_ word: UInt64, _ table: UnsafePointer<UInt32>) -> UInt32 {
        let low = table[7 &* 256 &+ Int(word & 0xFF)] ^ table[6 &* 256 &+ Int(word >> 8 & 0xFF)]
        let middle = table[5 &* 256 &+ Int(word >> 16 & 0xFF)] ^ table[4 &* 256 &+ Int(word >> 24 & 0xFF)]
        let upper = table[3 &* 256 &+ Int(word >> 32 & 0xFF)] ^ table[2 &* 256 &+ Int(word >> 40 & 0xFF)]
        let top = table[256 &+ Int(word >> 48 & 0xFF)] ^ table[Int(word >> 56)]
        return low ^ middle ^ upper ^ top
    }
}

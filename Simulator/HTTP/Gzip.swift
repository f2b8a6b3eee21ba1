// SPDX-License-Identifier: Apache-2.0

/// Encodes bytes in the gzip format (RFC 1952) with stored blocks (RFC 1951 §3.2.4). The result is valid, but is not
/// smaller.
enum Gzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        var remainder = bytes[...]
        repeat {
            let block = remainder.prefix(0xffff)
            remainder = remainder.dropFirst(block.count)
            output.append(remainder.isEmpty ? 1 : 0)
            output += littleEndian(UInt32(block.count)).prefix(2)
            output += littleEndian(~UInt32(block.count)).prefix(2)
            output += block
        } while !remainder.isEmpty
        return output + littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Returns the CRC-32 of bytes (RFC 1952 §8).
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder: UInt32 = 0xffff_ffff
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xedb8_8320 }
        }
        return ~remainder
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension SimulatedAnswer {
    /// The minimum size in bytes of a compressed response. The recordings contain only an uncompressed response of 36
    /// bytes and a compressed response of 17 KB.
    private static let compressedFrom = 1024

    /// The same response, which is compressed if it is large enough.
    var compressed: SimulatedAnswer {
        guard content == .json, !isChunked, body.count >= SimulatedAnswer.compressedFrom else { return self }
        var answer = self
        answer.body = Gzip.encode(body)
        answer.isCompressed = true
        return answer
    }
}

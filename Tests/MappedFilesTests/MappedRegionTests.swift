// SPDX-License-Identifier: Apache-2.0

import MappedFiles
import Testing

@Suite struct MappedRegionTests {
    @Test func `a new memory region is zeroed, unpublished and writable`() {
        let region = MappedRegion(memory: 100_000)

        #expect(region.count == 100_000)
        #expect(region.published == 0)
        #expect(!region.isFile)
        #expect(region.isWritable)
        #expect(region.firstNonzero(from: 0) == nil)
    }

    @Test func `numbers are stored in little-endian order`() {
        let region = MappedRegion(memory: 32)
        region.write(0x0102_0304 as UInt32, at: 1)
        region.write(0x0102_0304_0506_0708 as UInt64, at: 9)
        region.seal(7, at: 20)
        let bytes = region.withSpan(0..<24) { span in (0..<span.count).map { span[$0] } }

        #expect(bytes == [0, 4, 3, 2, 1, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 7, 0, 0, 0])
        #expect(region.number32(at: 1) == 0x0102_0304)
        #expect(region.number64(at: 9) == 0x0102_0304_0506_0708)
        #expect(region.number32(at: 20) == 7)
    }

    /// The values from RFC 3720 §B.4, and the common check value of CRC-32C.
    @Test(
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E), (Array((0..<32).reversed()), 0x113F_DB5C),
            (Array("123456789".utf8), 0xE306_9283), ([], 0),
        ] as [([UInt8], UInt32)])
    func `the checksum is CRC-32C even if it is computed in two steps`(bytes: [UInt8], checksum: UInt32) {
        let region = MappedRegion(memory: 64)
        region.write(bytes.span, at: 3)

        #expect(region.checksum(3..<3 + bytes.count) == checksum)

        for middle in 0...bytes.count {
            let first = region.checksum(3..<3 + middle)
            #expect(region.checksum(3 + middle..<3 + bytes.count, after: first) == checksum)
        }
    }

    @Test func `clear(from:) zeroes all later bytes and keeps the earlier ones`() {
        let region = MappedRegion(memory: 85)
        region.write([UInt8](repeating: 9, count: 85).span, at: 0)
        region.clear(from: 40)

        #expect(region.firstNonzero(from: 40) == nil)

        let bytes = region.withSpan(0..<85) { span in (0..<span.count).map { span[$0] } }

        #expect(bytes == [UInt8](repeating: 9, count: 40) + [UInt8](repeating: 0, count: 45))
    }

    @Test func `a write to published bytes or an access outside the region ends the process`() async {
        await #expect(processExitsWith: .failure) {
            let region = MappedRegion(memory: 64)
            region.publish(8)
            region.write(1 as UInt32, at: 4)
        }
        await #expect(processExitsWith: .failure) { _ = MappedRegion(memory: 64).number64(at: 57) }
        await #expect(processExitsWith: .failure) { MappedRegion(memory: 64).withSpan(60..<65) { _ in } }
    }
}

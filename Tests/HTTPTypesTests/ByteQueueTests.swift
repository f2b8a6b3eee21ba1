// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import HTTPTypes
import TestKit
import Testing

@Suite("A queue of bytes")
struct ByteQueueTests {
    private func content(_ queue: ByteQueue) -> [UInt8] {
        queue.withBytes { span in
            var bytes: [UInt8] = []
            bytes.append(copying: span)
            return bytes
        }
    }

    private func queue(_ text: String) -> ByteQueue {
        var queue = ByteQueue()
        queue.append(contentsOf: text.utf8)
        return queue
    }

    @Test func `bytes are appended at the end and removed from the front`() {
        var queue = ByteQueue()

        #expect(queue.isEmpty)
        #expect(queue.count == 0)
        #expect(content(queue).isEmpty)

        queue.append("hello ".bytes.span)
        queue.append(contentsOf: "world".utf8)

        #expect(!queue.isEmpty)
        #expect(queue.count == 11)

        queue.removeFirst(4)

        #expect(content(queue).text == "o world")

        queue.removeFirst(0)

        #expect(queue.count == 7)

        queue.append(contentsOf: "!".utf8)
        queue.removeFirst(7)

        #expect(content(queue).text == "!")

        queue.removeFirst(1)

        #expect(queue.isEmpty)
        #expect(queue.count == 0)

        queue.append(contentsOf: "again".utf8)

        #expect(content(queue).text == "again")
    }

    @Test func `an error inside withBytes is rethrown`() {
        struct Refused: Error {}

        #expect(throws: Refused.self) {
            try queue("a").withBytes { (_: Span<UInt8>) throws(Refused) in throw Refused() }
        }
    }

    @Test(
        arguments: ["", "own"], ["", "other", String(repeating: "large", count: 10_000)])
    func `moving another queue appends all of its bytes and empties it`(own: String, other: String) {
        // Bytes were already removed from both queues.
        var first = queue("x\(own)")
        first.removeFirst(1)
        var second = queue("yy\(other)")
        second.removeFirst(2)
        first.append(moving: &second)

        #expect(content(first).text == own + other)
        #expect(second.isEmpty)
        #expect(content(second).isEmpty)

        second.append(contentsOf: "z".utf8)

        #expect(content(second).text == "z")
        #expect(content(first).text == own + other)
    }

    @Test(arguments: [10, 100_000])
    func `removeAll leaves an empty and usable queue`(count: Int) {
        var queue = queue(String(repeating: "a", count: count))
        queue.removeFirst(5)
        queue.removeAll()

        #expect(queue.isEmpty)
        #expect(queue.count == 0)

        queue.append(contentsOf: "b".utf8)

        #expect(content(queue).text == "b")
    }

    @Test func `a copy of a queue does not change with the original`() {
        var first = queue("abc")
        let copy = first
        first.removeFirst(2)

        #expect(content(copy).text == "abc")
    }

    @Test func `64 MiB pass through a queue that is never empty, each byte once and in order`() {
        // Each byte identifies its position in the whole stream, because the period divides none of the amounts below.
        let period = 251
        let pattern = (0..<(65_536 + period)).map { UInt8($0 % period) }
        var queue = ByteQueue()
        var (written, read) = (0, 0)
        for round in 0..<1024 {
            let start = written % period
            queue.append(contentsOf: pattern[start..<(start + 65_536)])
            written += 65_536
            // The amounts are odd, so that the end of the removed bytes is at different positions in the chunks.
            let taken = min(queue.count - 1, round % 3 == 0 ? 30_011 : 81_017)
            let expected = read % period
            let isEqual = queue.withBytes { span in
                stride(from: 0, to: taken, by: 997).allSatisfy { Int(span[$0]) == (expected + $0) % period }
            }
            #expect(isEqual, "round \(round)")
            queue.removeFirst(taken)
            read += taken
            #expect(queue.count == written - read)
        }

        #expect(content(queue).elementsEqual((read..<written).lazy.map { UInt8($0 % period) }))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a queue has the same content as an array after any operations`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = ByteQueue()
        var model: [UInt8] = []

        for _ in 0..<2_000 {
            let bytes = [UInt8](
                repeating: .random(in: 0...255, using: &generator), count: .random(in: 0...9_000, using: &generator))
            switch Int.random(in: 0..<100, using: &generator) {
            case 0: (queue, model) = (ByteQueue(), [])
            case 1:
                queue.removeAll()
                model.removeAll()
            case 2..<25:
                queue.append(bytes.span)
                model += bytes
            case 25..<40:
                queue.append(contentsOf: bytes)
                model += bytes
            case 40..<50:
                var other = ByteQueue()
                other.append(bytes.span)
                let taken = Int.random(in: 0...bytes.count, using: &generator)
                other.removeFirst(taken)
                queue.append(moving: &other)
                model += bytes[taken...]
            default:
                let taken = Int.random(in: 0...min(model.count, 10_000), using: &generator)
                queue.removeFirst(taken)
                model.removeFirst(taken)
            }
            #expect(queue.count == model.count)
            #expect(content(queue) == model)
        }
    }
}

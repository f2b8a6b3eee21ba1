import HTTPTypes
import Testing

/// Bytes come out in the order in which they went in.
@Suite struct ByteQueueTests {
    private static func bytes(_ queue: ByteQueue) -> [UInt8] {
        queue.withBytes { span in
            var bytes: [UInt8] = []
            for index in 0..<span.count { bytes.append(span[index]) }
            return bytes
        }
    }

    @Test func firstInFirstOut() {
        var queue = ByteQueue()
        #expect(queue.isEmpty)
        queue.append(contentsOf: [1, 2, 3])
        let more: [UInt8] = [4, 5]
        queue.append(more.span)
        #expect(Self.bytes(queue) == [1, 2, 3, 4, 5])
        queue.removeFirst(2)
        #expect(queue.count == 3)
        #expect(Self.bytes(queue) == [3, 4, 5])
        queue.removeFirst(3)
        #expect(queue.isEmpty)
        #expect(Self.bytes(queue) == [])
    }

    @Test func anotherQueueIsMovedIn() {
        var queue = ByteQueue()
        var other = ByteQueue()
        other.append(contentsOf: [1, 2, 3])
        other.removeFirst(1)
        queue.append(moving: &other)
        #expect(other.isEmpty)
        #expect(Self.bytes(queue) == [2, 3])
        other.append(contentsOf: [4])
        queue.append(moving: &other)
        #expect(other.isEmpty)
        #expect(Self.bytes(queue) == [2, 3, 4])
        queue.append(moving: &other)
        #expect(Self.bytes(queue) == [2, 3, 4])
    }

    @Test func manyStepsGiveTheSameAsAnArray() {
        var queue = ByteQueue()
        var model: [UInt8] = []
        var state: UInt32 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 8) % bound
        }
        for step in 0..<3_000 {
            if next(2) == 0 {
                let piece = (0..<next(3_000)).map { UInt8(truncatingIfNeeded: $0 &+ step) }
                queue.append(contentsOf: piece)
                model += piece
            } else {
                let count = next(min(model.count, 4_000) + 1)
                queue.removeFirst(count)
                model.removeFirst(count)
            }
            #expect(queue.count == model.count)
            if step % 100 == 0 {
                let isEqual = Self.bytes(queue) == model
                #expect(isEqual)
            }
        }
        queue.removeAll()
        #expect(queue.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
import TestKit
import Testing

@testable import Storage

/// Tests the end of a store whose disk refuses writes or whose threads hang. Every waiting caller must be notified.
@Suite struct ClosingTests {
    private static func write(
        _ settled: Recorded<StorageError?>? = nil,
        _ apply: @escaping @Sendable (Connection) throws(StorageError) -> Void = { _ in }
    ) -> Write {
        guard let settled else { return Write(apply: apply, size: 1, settled: nil) }
        return Write(apply: apply, size: 1) { error in settled.append(error) }
    }

    @Test func `a write queued during a failing commit is attempted on closing and reported as failed`() throws {
        let directory = try TemporaryDirectory()
        let file = StoreUnderTest.file(in: directory)
        let queue = WriteQueue(path: file.path, limit: 1_000)
        let settled = Recorded<StorageError?>("an answer")
        let events = Recorded<Store.Event>("an event of the store")
        let tries = Locked(0)
        queue.append(
            Self.write { (_) throws(StorageError) in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst {
                    queue.append(Self.write(settled))
                    queue.append(Self.write())
                    _ = queue.close(atMost: .zero)
                }
                throw .full(file.path)
            })
        var writer = Writer(try file.openForWriting(), queue, pause: .seconds(3600)) { events.append($0) }
        writer.run()

        #expect(settled.values == [.full(file.path)])
        #expect(events.values == [.fails(.full(file.path)), .lost(2)])
        #expect(tries.withLock { $0 } == 2)
    }

    @Test func `a closed queue returns failed writes for one more attempt`() throws {
        let directory = try TemporaryDirectory()
        let file = StoreUnderTest.file(in: directory)
        let queue = WriteQueue(path: file.path, limit: 1_000)
        queue.append(Self.write())
        var batch: [Write] = []

        #expect(queue.dequeue(into: &batch, retryAfter: nil))
        // The first attempt has failed, and nothing else has arrived by the time the end is near.
        #expect(queue.dequeue(into: &batch, retryAfter: .zero))

        queue.append(Self.write())

        #expect(!queue.close(atMost: .zero))
        #expect(queue.dequeue(into: &batch, retryAfter: .seconds(3600)))
        #expect(batch.count == 2)
        #expect(!queue.dequeue(into: &batch, retryAfter: .seconds(3600)))
        #expect(batch.count == 2)
    }

    @Test(.timeLimit(.minutes(5))) func `a query that hangs does not block closing, and waiting queries fail`()
        async throws
    {
        let test = try StoreUnderTest()
        let gate = Latch("the reader may continue")
        let (inside, continuation) = AsyncStream.makeStream(of: Void.self)
        let store = test.store
        let hanging = Task {
            try await store.read { (_) throws(StorageError) in
                continuation.finish()
                _ = gate.isOpened(within: .seconds(60))
            }
        }
        // Wait without blocking, because the task may need this thread.
        for await _ in inside {}
        test.add(1)
        let waiting = (1...10).map { _ in Task { try await test.numbers() } }

        #expect(!store.close(atMost: .milliseconds(100)))

        for task in waiting {
            let result = await task.result
            #expect(throws: StorageError.closed(test.path)) { try result.get() }
        }

        // The second call returns the same result without waiting again.
        #expect(!store.close(atMost: .seconds(3600)))

        // No other process acquires the file while the query uses it, and the next process acquires it afterwards.
        let file = StoreUnderTest.file(in: test.directory)
        let refusal = "error: Another gateway (process \(getpid())) uses "

        #expect(try StoreUnderTest.holder(of: file).hasPrefix(refusal))

        gate.open()
        try await hanging.value
        while try StoreUnderTest.holder(of: file).hasPrefix(refusal) {}
        // The queued write has been written.
        let next = try StoreUnderTest(in: test.directory)

        #expect(try await next.numbers() == [1])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Systemd

/// A control loop on a separate thread, for a single test.
final class LoopThread: Sendable {
    let loop: SystemEventLoop
    private let ended: AsyncStream<Void>

    init() throws {
        let loop = try SystemEventLoop()
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        self.loop = loop
        self.ended = ended
        Thread {
            try? loop.run()
            continuation.finish()
        }.start()
    }

    /// Ends the loop, and waits until its thread has ended.
    func stop() async {
        loop.stop()
        for await _ in ended {}
    }
}

/// Runs closures on the loop's thread, like an actor of the gateway.
actor OnLoop {
    private let loop: SystemEventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var visits = 0
    private var retained: [any Sendable] = []

    init(_ loop: SystemEventLoop) { self.loop = loop }

    func run<Result: Sendable>(_ body: @Sendable (SystemEventLoop) throws -> Result) rethrows -> Result {
        try body(loop)
    }

    /// Retains a source for the lifetime of the actor.
    func retain(_ make: @Sendable (SystemEventLoop) throws -> any Sendable) rethrows { retained.append(try make(loop)) }

    /// Releases the sources. A handler that retains its loop or its actor would otherwise keep both alive forever.
    func dropAll() { retained = [] }

    func visit() { visits += 1 }
}

// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

/// The threads for most of the lab's tests: as many machines as a small computer can run at the same time.
private let shared = TestThreads(count: max(4, 3 * TestThreads.processors))

/// The threads for tests that take longer than all others. These tests begin at once.
private let long = TestThreads(count: LabRoot.allCases.count)

extension Trait where Self == TestThreadsTrait {
    /// Marks a test that waits for machines.
    static var onLabThreads: Self { Self(shared) }
    /// Marks a test that waits for a machine for minutes.
    static var onLongLabThreads: Self { Self(long) }
}

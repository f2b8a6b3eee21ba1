// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventLoop
import GatewayCore
internal import Instances
import Locking

/// The default agents and models of instances, which are requested from time to time. Sessions and prompts that do not
/// name an agent or model use them.
final class KnownInstanceDefaults: Sendable {
    /// How long an answer is cached. The time is limited, because the configuration may change while the instance runs.
    private static let trust = Duration.seconds(10)

    private struct Known: Sendable {
        let generation: UInt64
        let time: MonotonicTime
        let defaults: InstanceDefaults
    }

    /// The known defaults by the instance's slot.
    private let known = Locked<[Int: Known]>([:])

    /// Continues with the known defaults of an instance, or requests them first. Runs on a worker thread.
    ///
    /// - Parameter directory: The directory of the project.
    func step(
        for instance: InstanceEndpoint, in directory: String,
        then next: @escaping @Sendable (InstanceDefaults) -> BridgeStep
    ) -> BridgeStep {
        let slot = instance.slot
        let generation = instance.generation
        let last = known.withLock { $0[slot] }
        if let last, last.generation == generation, MonotonicTime.now - last.time < Self.trust {
            return next(last.defaults)
        }
        return InstanceDefaults.request(version: instance.version ?? "", directory: directory) { [self] defaults in
            known.withLock {
                $0[slot] = Known(generation: generation, time: .now, defaults: defaults)
            }
            return next(defaults)
        }
    }
}

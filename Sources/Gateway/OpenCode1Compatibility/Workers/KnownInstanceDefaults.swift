// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventLoop
import GatewayCore
internal import Instances
import Locking

/// A cache of the instances' default agents and models. A session or prompt that names no agent or
/// model uses these defaults.
final class KnownInstanceDefaults: Sendable {
    /// The time for which the cache keeps defaults. The time is limited, because the configuration may
    /// change during a run.
    private static let lifetime = Duration.seconds(10)

    private struct Entry: Sendable {
        let generation: UInt64
        let time: MonotonicTime
        let defaults: InstanceDefaults
    }

    /// The known defaults by the instance's slot.
    private let known = Locked<[Int: Entry]>([:])

    /// Returns the defaults of an instance. Requests the defaults from the instance if the cache does not contain them.
    ///
    /// - Parameter directory: The directory of the project.
    func defaults(
        of instance: InstanceEndpoint, in directory: String, over transport: any BridgeTransport
    ) async throws(BridgeError) -> InstanceDefaults {
        let slot = instance.slot
        let generation = instance.generation
        let last = known.withLock { $0[slot] }
        if let last, last.generation == generation, MonotonicTime.now - last.time < Self.lifetime {
            return last.defaults
        }
        let defaults = try await InstanceDefaults.request(
            version: instance.version ?? "", directory: directory, over: transport)
        known.withLock { $0[slot] = Entry(generation: generation, time: .now, defaults: defaults) }
        return defaults
    }
}

import Dialects
import EventLoop
internal import Instances
import Locking

/// What instances say of their default agent and model, asked for now and then: sessions and prompts that name none have
/// these.
final class KnownInstanceDefaults: Sendable {
    /// How long an answer is gone by: a configuration may be changed while the instance runs.
    private static let trust = Duration.seconds(10)

    private struct Known: Sendable {
        let generation: UInt64
        let time: MonotonicTime
        let surroundings: InstanceDefaults
    }

    /// By the instance's slot.
    private let known = Locked<[Int: Known]>([:])

    /// Goes on with what is known of an instance, or asks it first. On a worker's thread. `directory`: the project's own.
    func step(
        _ instance: InstanceEndpoint, _ directory: String, _ next: @escaping @Sendable (InstanceDefaults) -> BridgeStep
    ) -> BridgeStep {
        let (slot, generation) = (instance.slot, instance.generation)
        let last = known.withLock { $0[slot] }
        if let last, last.generation == generation, MonotonicTime.now - last.time < Self.trust {
            return next(last.surroundings)
        }
        return InstanceDefaults.ask(version: instance.version ?? "", directory: directory) { [self] surroundings in
            known.withLock {
                $0[slot] = Known(generation: generation, time: .now, surroundings: surroundings)
            }
            return next(surroundings)
        }
    }
}

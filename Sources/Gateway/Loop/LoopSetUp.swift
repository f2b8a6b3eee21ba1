import Logging

/// What a loop is made of.
struct LoopSetUp: Sendable {
    /// The loop's number, from 0: the first part of its request ids.
    var index: Int
    var policy: Policy
    var control: any ProjectControl
    var log: Logger
    /// One for all loops.
    var failedTries: FailedTries
}

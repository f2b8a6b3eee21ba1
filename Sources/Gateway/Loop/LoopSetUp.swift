import Logging

/// What a loop is made of.
struct LoopSetUp: Sendable {
    /// The loop's number, from 0: the first part of its request ids.
    var index: Int
    var limits: GatewayLimits
    var control: any ProjectControl
    var snapshot: Snapshot
    var log: Logger
    var accessLog: Bool
}

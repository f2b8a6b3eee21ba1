import HTTPServer
import Instances

/// What other threads say to a loop.
enum LoopMessage: Sendable {
    /// Requests from now on see this table.
    case routes(RoutingTable)
    /// Requests from now on follow this policy.
    case policy(Policy)
    /// The control plane's answer to the call with this number.
    case answer(call: Int, Answer)
    /// Ask an instance for its health and report.
    case probe(port: UInt16, authorization: String?, report: @Sendable (ProbeAnswer) -> Void)
    /// Accept nothing more, finish what runs within the time, end streams; then say so.
    case drain(within: Duration, finished: @Sendable () -> Void)
    /// End.
    case stop
}

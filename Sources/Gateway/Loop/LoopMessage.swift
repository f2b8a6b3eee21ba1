import HTTPServer
internal import Instances

/// What other threads say to a loop.
enum LoopMessage: Sendable {
    /// Accept connections from now on; report why that is not possible, if it is not.
    case accept(report: @Sendable (String?) -> Void)
    /// Requests from now on see this table.
    case routes(RoutingTable)
    /// Requests from now on follow this policy.
    case policy(Policy)
    /// The control plane's answer to the call with this number.
    case answer(call: Int, Answer)
    /// Ask an instance for its health and report.
    case probe(HealthQuestion, report: @Sendable (ProbeAnswer) -> Void)
    /// Ask an instance something else and report; nil when no answer came.
    case inquire(Inquiry, report: @Sendable (Inquiry.Reply?) -> Void)
    /// What is known of instances' projects and sessions.
    case knowledge(KnowledgeMessage)
    /// Report how many pieces of answers this loop has got from the instance with this slot.
    case progress(slot: Int, report: @Sendable (UInt64) -> Void)
    /// Accept nothing more, finish what runs within the time, end streams; then say so.
    case drain(within: Duration, finished: @Sendable () -> Void)
    /// End.
    case stop
}

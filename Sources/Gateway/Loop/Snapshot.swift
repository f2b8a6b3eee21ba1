internal import Instances

/// All that a request reads on its way: immutable, replaced as a whole, taken once for each request.
struct Snapshot: Sendable {
    /// Who may ask, and what requests follow.
    var policy: Policy
    /// Where each project's instance listens.
    var routes: RoutingTable
}

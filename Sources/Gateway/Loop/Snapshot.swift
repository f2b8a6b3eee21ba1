package import Access
package import Instances

/// All that a request reads on its way: immutable, replaced as a whole, taken once for each request.
package struct Snapshot: Sendable {
    /// The keys that open the gateway.
    package var keys: KeyTable
    /// Where each project's instance listens.
    package var routes: RoutingTable

    /// A snapshot of these tables.
    package init(keys: KeyTable, routes: RoutingTable) {
        self.keys = keys
        self.routes = routes
    }
}

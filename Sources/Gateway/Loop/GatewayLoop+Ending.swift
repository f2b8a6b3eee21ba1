import HTTPClient

/// Requests that wait for an instance which is being ended, or when the gateway itself ends.
extension GatewayLoop {
    /// All that goes to an instance or has just lost it.
    private var exchanges: [ProxyExchange] {
        client.followers.compactMap { $0 as? ProxyExchange } + Array(undecided.values)
    }

    /// There is a new routing table: who waits for an instance that somebody has end hears of that at once.
    func endRequestsOfEndedInstances() {
        for exchange in exchanges { exchange.routesChanged() }
    }

    /// The time for running exchanges is over.
    func endAllRequests() {
        for exchange in exchanges { exchange.breakOff() }
    }
}

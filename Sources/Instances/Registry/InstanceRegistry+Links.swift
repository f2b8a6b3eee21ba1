package import Projects

extension InstanceRegistry {
    /// What the registry asks of others, and tells them.
    package struct Links: Sendable {
        /// Makes a health check. It must answer, soon after the check's time is over at the latest.
        package var probe: @Sendable (HealthQuestion) async -> HealthFinding
        /// How many pieces of proxied answers have come from the instance with this slot, ever: more than before means
        /// that it works on requests.
        package var progress: @Sendable (_ slot: Int) async -> UInt64
        /// Asks an instance something; nil when no answer came.
        package var inquire: @Sendable (InstanceQuestion) async -> InstanceReply?
        /// Called on the control loop with each new routing table.
        package var publish: @Sendable (RoutingTable) -> Void
        /// The digest of the environment files that the project's next run would have; nil when it can't be told.
        /// Called on the control loop.
        package var environmentDigest: @Sendable (ProjectName) -> String?
        /// Where it is written down what happens to instances.
        package var history: any InstanceHistory

        /// Links to these.
        package init(
            probe: @escaping @Sendable (HealthQuestion) async -> HealthFinding,
            progress: @escaping @Sendable (_ slot: Int) async -> UInt64 = { _ in 0 },
            inquire: @escaping @Sendable (InstanceQuestion) async -> InstanceReply? = { _ in nil },
            publish: @escaping @Sendable (RoutingTable) -> Void,
            environmentDigest: @escaping @Sendable (ProjectName) -> String? = { _ in nil },
            history: any InstanceHistory = NoInstanceHistory(reason: "Nothing is written down.")
        ) {
            self.probe = probe
            self.progress = progress
            self.inquire = inquire
            self.publish = publish
            self.environmentDigest = environmentDigest
            self.history = history
        }
    }
}

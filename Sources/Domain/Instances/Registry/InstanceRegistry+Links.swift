// SPDX-License-Identifier: Apache-2.0

package import Projects

extension InstanceRegistry {
    /// The functions through which the registry uses other components.
    package struct Links: Sendable {
        /// Performs a health check. The function must return no later than shortly after the check's time limit.
        package var probe: @Sendable (HealthQuery) async -> HealthFinding
        /// Returns the total number of chunks of proxied responses from the instance with this slot. An increase means
        /// that the instance processes requests.
        package var progress: @Sendable (_ slot: Int) async -> UInt64
        /// Sends a request to an instance; returns nil if there was no response.
        package var inquire: @Sendable (InstanceQuery) async -> InstanceReply?
        /// Publishes a new routing table. Called on the control loop.
        package var publish: @Sendable (RoutingTable) -> Void
        /// Returns the digest of the environment files for the project's next run; nil if the digest cannot be
        /// determined. Called on the control loop.
        package var environmentDigest: @Sendable (ProjectName) -> String?
        /// The store for the events of instances.
        package var history: any InstanceHistory

        /// Creates links with the given functions.
        package init(
            probe: @escaping @Sendable (HealthQuery) async -> HealthFinding,
            progress: @escaping @Sendable (_ slot: Int) async -> UInt64 = { _ in 0 },
            inquire: @escaping @Sendable (InstanceQuery) async -> InstanceReply? = { _ in nil },
            publish: @escaping @Sendable (RoutingTable) -> Void,
            environmentDigest: @escaping @Sendable (ProjectName) -> String? = { _ in nil },
            history: any InstanceHistory = NoInstanceHistory(reason: "No history is stored.")
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

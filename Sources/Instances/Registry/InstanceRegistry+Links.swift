package import OpenCode
package import Projects

extension InstanceRegistry {
    /// What the registry asks of others, and tells them.
    package struct Links: Sendable {
        /// One health check to be made.
        package struct Probe: Sendable {
            /// The port on 127.0.0.1 to ask.
            package let port: UInt16
            /// What the instance asks for.
            package let credentials: InstanceCredentials?
            /// Where to begin to ask.
            package let search: HealthSearch
            /// How long the answer may take.
            package let timeout: Duration
            /// Whether to find out, once it is healthy, if it lets others in without its password.
            package let checksPassword: Bool
        }

        /// One GET on the gateway's own behalf.
        package struct Inquiry: Sendable {
            /// The port on 127.0.0.1 to ask.
            package let port: UInt16
            /// What to ask for.
            package let path: String
            /// The value of the Authorization field; secret. Nil sends none.
            package let authorization: String?
            /// How long the whole answer may take.
            package let timeout: Duration
        }

        /// What came of it.
        package struct Reply: Sendable {
            /// The status code.
            package let status: Int
            /// The body, or the beginning of a very long one.
            package let body: [UInt8]

            /// A reply.
            package init(status: Int, body: [UInt8]) {
                self.status = status
                self.body = body
            }
        }

        /// Makes a health check. It must answer, soon after the check's time is over at the latest.
        package var probe: @Sendable (Probe) async -> ProbeOutcome
        /// How many pieces of proxied answers have come from the instance with this slot, ever: more than before means
        /// that it works on requests.
        package var progress: @Sendable (_ slot: Int) async -> UInt64
        /// Asks an instance something; nil when no answer came.
        package var inquire: @Sendable (Inquiry) async -> Reply?
        /// Called on the control loop with each new routing table.
        package var publish: @Sendable (RoutingTable) -> Void
        /// The digest of the environment files that the project's next run would have; nil when it can't be told.
        /// Called on the control loop.
        package var environmentDigest: @Sendable (ProjectName) -> String?

        /// Links to these.
        package init(
            probe: @escaping @Sendable (Probe) async -> ProbeOutcome,
            progress: @escaping @Sendable (_ slot: Int) async -> UInt64 = { _ in 0 },
            inquire: @escaping @Sendable (Inquiry) async -> Reply? = { _ in nil },
            publish: @escaping @Sendable (RoutingTable) -> Void,
            environmentDigest: @escaping @Sendable (ProjectName) -> String? = { _ in nil }
        ) {
            self.probe = probe
            self.progress = progress
            self.inquire = inquire
            self.publish = publish
            self.environmentDigest = environmentDigest
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Access
package import EventLoop
package import Instances

/// A message from another thread to a loop.
package enum LoopMessage: Sendable {
    /// The mailboxes of all loops, including the receiver's, by loop number.
    case peers([Mailbox<LoopMessage>])
    /// The routing table for future requests.
    case routes(RoutingTable)
    /// The policy for future requests. The loop aborts the operations that the policy's keys do not permit, and adds
    /// their numbers to the report.
    case policy(Policy, RevocationReport)
    /// The named keys for future requests. The loop aborts the operations that the keys do not permit, and adds their
    /// numbers to the report.
    case namedKeys(KeyIndex, RevocationReport)
    /// A message to one of the loop's features.
    case feature(any FeatureMessage)
    /// A closure that runs on the loop and reports its result to the caller.
    case request(@Sendable (GatewayLoop) -> Void)
    /// Stops the loop after all earlier messages.
    case stop
}

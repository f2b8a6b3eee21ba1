// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import GatewayCore
package import HTTPClient
package import Instances

/// A thread that has a session index: a loop or the hub's thread.
package protocol SessionIndexOwner: AnyObject {
    var loop: EventLoop { get }
    var client: UpstreamClient { get }
    var control: any ProjectControl { get }
    /// The routing table that is currently in use.
    var routes: RoutingTable { get }
    /// A function with which other threads send a result to this thread; nil while the thread has no mailbox.
    var sessionIndexPost: (@Sendable (SessionIndexMessage) -> Void)? { get }
    /// Whether other threads have sent messages that this thread has not received yet.
    var hasUnread: Bool { get }
    /// The time limit for an instance to report the directory of a session.
    var lookupTimeout: Duration { get }
    /// Sends a message to all threads that have a session index, including the current thread.
    func broadcast(_ message: SessionIndexMessage)
}

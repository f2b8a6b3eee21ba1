import EventLoop
import HTTPClient
internal import Instances

/// The thread that something is known on: a loop, or the hub's.
protocol SessionIndexOwner: AnyObject {
    var loop: EventLoop { get }
    var client: UpstreamClient { get }
    var control: any ProjectControl { get }
    /// The routes that it goes by now.
    var routes: RoutingTable { get }
    /// How an answer comes back to it from other threads; nil before it can.
    var knowledgePost: (@Sendable (SessionIndexMessage) -> Void)? { get }
    /// Whether other threads have told it something that it has not received yet.
    var hasUnread: Bool { get }
    /// How long an instance may take to say where a session is.
    var lookupTimeout: Duration { get }
    /// Tells all threads that know something, this one included.
    func tellAll(_ message: SessionIndexMessage)
}

extension GatewayLoop: SessionIndexOwner {
    var routes: RoutingTable { snapshot.routes }

    var lookupTimeout: Duration { .seconds(5) }

    var hasUnread: Bool { mailbox?.hasUnread ?? false }

    var knowledgePost: (@Sendable (SessionIndexMessage) -> Void)? {
        guard let mailbox else { return nil }
        return { mailbox.post(.knowledge($0)) }
    }

    func tellAll(_ message: SessionIndexMessage) {
        postToAll(.knowledge(message))
        hub?.post(.knowledge(message))
    }
}

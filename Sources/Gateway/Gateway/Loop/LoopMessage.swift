// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import Instances
import OpenCode
import WebSockets

/// A message from another thread to a loop.
enum LoopMessage: Sendable {
    /// The mailboxes of all loops, including the receiver's, by loop number.
    case peers([Mailbox<LoopMessage>])
    /// The routing table for future requests.
    case routes(RoutingTable)
    /// The policy for future requests. Operations whose key it does not contain are aborted and reported.
    case policy(Policy, RevocationReport)
    /// The control plane's message to the call with this number.
    case call(Int, CallMessage)
    /// An update of the session index.
    case knowledge(SessionIndexMessage)
    /// Updates from the hub, in this order.
    case events([EventUpdate])
    /// The start position of the stream that requested it with this number.
    case marked(number: Int, LogPosition)
    /// The batch that was read for a stream.
    case reading(EventLogReadResult)
    /// A message from the bridge's threads.
    case bridge(BridgeMessage)
    /// A closure that is called with the chat socket of this number if the socket still exists.
    case chat(number: Int, @Sendable (ChatSocket) -> Void)
    /// Frames to send over the chat sockets of these numbers that still exist.
    case chats(numbers: [Int], [Frame])
    /// A closure to run on the loop (``DataPlane``). The closure itself reports the result to the caller.
    case request(@Sendable (GatewayLoop) -> Void)
    /// Stops the loop after the earlier messages.
    case stop
}

/// A message from the control plane to the request that waits for it.
enum CallMessage: Sendable {
    /// The answer, or the beginning of one.
    case respond(ControlResponse)
    /// The next bytes of the stream. `goesOn` is called after they were sent, and reports whether the client still
    /// reads.
    case write([UInt8], goesOn: @Sendable (Bool) -> Void)
    /// A pause of the stream. `goesOn` is called after it, or as soon as the client disconnects, and reports whether
    /// the client still reads.
    case pause(Duration, goesOn: @Sendable (Bool) -> Void)
    /// The end of a complete stream.
    case finish
    /// The end of an aborted stream.
    case abort

    /// Reports to the sender that there is no longer a client.
    func reject() {
        switch self {
        case .write(_, let goesOn), .pause(_, let goesOn): goesOn(false)
        case .respond, .finish, .abort: break
        }
    }
}

/// An update about the projects and sessions of instances.
enum SessionIndexMessage: Sendable {
    /// The control plane's answer to the call with this number: OpenCode's project for an instance's folder.
    case ownProject(call: Int, OpenCodeProject?)
    /// The control plane's answer to the call with this number: a project's current directories.
    case directories(call: Int, DirectoryScope?)
    /// The loop's message to itself for the call with this number. Its arrival shows that all earlier messages were
    /// received.
    case caughtUp(call: Int)
    /// The run of the instance with this slot has opened the project's folder.
    case opened(slot: Int, generation: UInt64)
    /// The directory of a session of the instance with this slot and generation.
    case session(slot: Int, generation: UInt64, id: [UInt8], SessionDirectories.Location)
}

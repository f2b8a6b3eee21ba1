import EventHub
import EventLoop
import Instances
import OpenCode
import WebSockets

/// What other threads say to a loop.
enum LoopMessage: Sendable {
    /// The ways to all loops, its own included, by their numbers.
    case peers([Mailbox<LoopMessage>])
    /// Requests from now on see this table.
    case routes(RoutingTable)
    /// Requests from now on follow this policy; what was opened with a key that it does not hold is aborted and reported.
    case policy(Policy, RevocationReport)
    /// The control plane's word to the call with this number.
    case call(Int, CallMessage)
    /// What is known of instances' projects and sessions.
    case knowledge(SessionIndexMessage)
    /// What the hub has to tell, in this order.
    case events([EventUpdate])
    /// The place where the stream begins that asked for it under this number.
    case marked(number: Int, LogPosition)
    /// What was read for a stream.
    case reading(Reading)
    /// What the bridge's threads have to say.
    case bridge(BridgeMessage)
    /// Something is to be done with the chat socket of this number, if there is one still.
    case chat(number: Int, @Sendable (ChatSocket) -> Void)
    /// These are to be sent over the chat sockets of these numbers, as far as there are such still.
    case chats(numbers: [Int], [Frame])
    /// Somebody wants something done or told (``DataPlane``): who asks hears by the closure itself.
    case request(@Sendable (GatewayLoop) -> Void)
    /// End.
    case stop
}

/// What the control plane says to a request that waits for it.
enum CallMessage: Sendable {
    /// The answer, or the beginning of one.
    case respond(ControlResponse)
    /// The next bytes of the stream; whether anybody still wants more is said once they are on their way.
    case write([UInt8], goesOn: @Sendable (Bool) -> Void)
    /// Nothing for so long; whether anybody still wants more is said then, or as soon as nobody does.
    case pause(Duration, goesOn: @Sendable (Bool) -> Void)
    /// The stream is whole.
    case finish
    /// The stream ends before it is whole.
    case abort

    /// Tells who has sent it that there is nobody any more.
    func reject() {
        switch self {
        case .write(_, let goesOn), .pause(_, let goesOn): goesOn(false)
        case .respond, .finish, .abort: break
        }
    }
}

/// What loops are told of instances' projects and sessions.
enum SessionIndexMessage: Sendable {
    /// The control plane's answer to the call with this number: the project that an instance's folder is to OpenCode.
    case ownProject(call: Int, OpenCodeProject?)
    /// The control plane's answer to the call with this number: a project's directories at this moment.
    case directories(call: Int, DirectoryScope?)
    /// Its own message to itself, the call with this number: all that was told before was received.
    case caughtUp(call: Int)
    /// The run of the instance with this slot has opened the project's folder.
    case opened(slot: Int, generation: UInt64)
    /// Where a session is, of the instance with this slot and generation.
    case session(slot: Int, generation: UInt64, id: [UInt8], SessionDirectories.Place)
}

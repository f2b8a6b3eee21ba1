import EventLoop
import OpenCode

/// What loops are told of instances' projects and sessions.
enum KnowledgeMessage: Sendable {
    /// The ways to all loops.
    case peers([Mailbox<LoopMessage>])
    /// The control plane's answer to the call with this number: the project that an instance's folder is to OpenCode.
    case ownProject(call: Int, OwnProject?)
    /// The control plane's answer to the call with this number: a project's directories at this moment.
    case directories(call: Int, DirectoryScope?)
    /// Where a session is, of the instance with this slot and generation.
    case session(slot: Int, generation: UInt64, id: [UInt8], SessionDirectories.Place)
}

package import Access
import EventLoop
package import HTTPServer
package import Instances
package import WebSockets

/// Who talks over one chat socket. It is called on the socket's loop, and may answer within the call.
package protocol ChatTalker: AnyObject {
    /// The socket is open. Called once, before anything else.
    func opened(_ socket: ChatSocket)
    /// The client has sent a whole text, which is UTF-8.
    func received(text: [UInt8], on socket: ChatSocket)
    /// The client has sent a whole message of other bytes.
    func received(bytes: [UInt8], on socket: ChatSocket)
    /// The client's key was revoked: what it has said and was not done yet is not done. ``ended()`` follows.
    func revoked()
    /// The socket has ended, for whatever reason. Called once; nothing that is sent reaches anybody any more.
    func ended()
}

extension ChatTalker {
    /// Nothing of what it has said waits.
    package func revoked() {}

    /// Only texts are talked in.
    package func received(bytes: [UInt8], on socket: ChatSocket) {
        socket.close(CloseStatus(.unsupportedData, "messages are texts"))
    }
}

/// What is known of a client that wants to talk, before it is answered.
package struct ChatOpening: Sendable {
    /// Whose key it has; nil: it was let in without one.
    package let principal: Principal?
    /// What its request's query says.
    let query: RequestQuery
    /// The projects that there are at this moment, and how they are.
    package let routes: RoutingTable
    /// The way to the socket from other threads.
    package let line: ChatLine
}

/// What becomes of a client that wants to talk.
package enum ChatDecision {
    /// The socket is opened, and this one talks over it.
    case talks(any ChatTalker)
    /// The request gets this answer instead.
    case refused(Answer)
    /// What this says is asked first, and decides on the loop then.
    case asks(@Sendable (any ProjectControl) async -> @Sendable (ChatOpening) -> ChatDecision)
}

/// Who talks over WebSockets, and what they are allowed.
package struct ChatSetUp: Sendable {
    /// Decides on the loop about each client that wants to talk.
    let decide: @Sendable (ChatOpening) -> ChatDecision
    /// What one socket may hold and how long it may be silent.
    package var limits = ChatLimits()

    /// Talkers that are made so.
    package init(decide: @escaping @Sendable (ChatOpening) -> ChatDecision, limits: ChatLimits = ChatLimits()) {
        self.decide = decide
        self.limits = limits
    }
}

/// What a chat socket is allowed.
package struct ChatLimits: Sendable {
    /// The bytes of a message from the client.
    package var message = 1 << 20
    /// Bytes that may wait for a client behind the message that is being sent to it.
    package var backlog = 4 << 20
    /// How often a client is asked whether it is there, and how long it may be silent then.
    package var pingInterval = Duration.seconds(20)
    /// How long a client has to answer the end.
    package var closeWait = Duration.seconds(2)
    /// Sockets on one loop; nil: half of its connections, so that requests have room.
    package var sockets: Int?

    /// The defaults.
    package init() {}
}

/// The way to a chat socket from any thread. What comes when the socket has ended is dropped.
package struct ChatLine: Sendable {
    private let mailbox: Mailbox<LoopMessage>
    private let number: Int

    init(_ mailbox: Mailbox<LoopMessage>, number: Int) {
        self.mailbox = mailbox
        self.number = number
    }

    /// Sends texts in this order. A text for many is made into a frame once.
    package func send(_ frames: [Frame]) {
        run { socket in for frame in frames { socket.send(frame) } }
    }

    /// Sends the same texts over each of these sockets: one message for each loop, so that a loop wakes up once for all of its.
    package static func send(_ frames: [Frame], over lines: [ChatLine]) {
        var loops: [(mailbox: Mailbox<LoopMessage>, numbers: [Int])] = []
        for line in lines {
            if let index = loops.firstIndex(where: { $0.mailbox === line.mailbox }) {
                loops[index].numbers.append(line.number)
            } else {
                loops.append((line.mailbox, [line.number]))
            }
        }
        for loop in loops { loop.mailbox.post(.chats(numbers: loop.numbers, frames)) }
    }

    /// Ends the socket.
    package func close(_ status: CloseStatus) { run { $0.close(status) } }

    /// Does something with the socket on its loop.
    package func run(_ body: @escaping @Sendable (ChatSocket) -> Void) { mailbox.post(.chat(number: number, body)) }
}

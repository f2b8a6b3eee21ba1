// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
import EventLoop
package import GatewayCore
package import HTTPServer
package import Instances
package import WebSockets

/// The handler of one chat socket. The socket calls the delegate on the socket's loop. The delegate may send messages
/// during a call.
package protocol ChatDelegate: AnyObject {
    /// Called once when the socket is open, before any other method.
    func opened(_ socket: ChatSocket)
    /// Called with each complete text message from the client. The text is valid UTF-8.
    func received(text: [UInt8], on socket: ChatSocket)
    /// Called with each complete binary message of the client.
    func received(bytes: [UInt8], on socket: ChatSocket)
    /// Called when the client's key was revoked. The delegate must discard the client's
    /// pending requests. ``ended()`` follows.
    func revoked()
    /// Called once when the socket has ended, for any reason. The client receives no messages that are sent afterwards.
    func ended()
}

extension ChatDelegate {
    /// Does nothing. A delegate that keeps pending requests must implement this method.
    package func revoked() {}

    /// Closes the socket, because messages must be texts.
    package func received(bytes: [UInt8], on socket: ChatSocket) {
        socket.close(CloseStatus(.unsupportedData, "binary messages are not supported; send text messages"))
    }
}

/// A client's request to open a chat.
package struct ChatOpening: Sendable {
    /// The principal of the client's key; nil for a client that was admitted without a key.
    package let principal: Principal?
    /// The client's address; nil if it is unknown.
    package let client: IPAddress?
    /// The parameters of the request's query.
    package let query: RequestQuery
    /// The current projects and their states.
    package let routes: RoutingTable
    /// The access to the socket from other threads.
    package let line: ChatLine
}

/// The decision about a client that requests a chat.
package enum ChatDecision {
    /// The gateway opens the socket with this delegate.
    case accepted(any ChatDelegate)
    /// The gateway rejects the request with this error.
    case refused(GatewayError)
    /// The decision needs the control plane. The gateway calls the closure with the control plane, and then calls the
    /// closure's result on the loop to make the decision.
    case deferred(@Sendable (any ProjectControl) async -> @Sendable (ChatOpening) -> ChatDecision)
}

/// The settings for chat sockets: the closure that creates delegates, and the limits.
package struct ChatSetUp: Sendable {
    /// Decides on the loop about each client that requests a chat.
    let decide: @Sendable (ChatOpening) -> ChatDecision
    /// The limits of one socket.
    package var limits = ChatLimits()

    /// Creates the settings with a closure that creates delegates.
    package init(decide: @escaping @Sendable (ChatOpening) -> ChatDecision, limits: ChatLimits = ChatLimits()) {
        self.decide = decide
        self.limits = limits
    }
}

/// The limits of a chat socket.
package struct ChatLimits: Sendable {
    /// The maximum size of a client's message in bytes.
    package var message = 1 << 20
    /// The maximum number of bytes that may wait for a client after the message that is being sent to the client.
    package var backlog = 4 << 20
    /// The interval between pings, which is also the time limit for the client's response to a ping.
    package var pingInterval = Duration.seconds(20)
    /// The time limit for the client's close frame after the gateway has sent a close frame.
    package var closeWait = Duration.seconds(2)
    /// The maximum number of sockets on one loop. If the value is nil, half of the loop's connections can be sockets,
    /// which leaves room for requests.
    package var sockets: Int?

    /// Creates limits with their default values.
    package init() {}
}

/// The access to a chat socket from any thread. Calls after the socket has ended have no effect.
package struct ChatLine: Sendable {
    private let mailbox: Mailbox<LoopMessage>
    private let number: Int

    init(_ mailbox: Mailbox<LoopMessage>, number: Int) {
        self.mailbox = mailbox
        self.number = number
    }

    /// Sends texts in the given order. The method takes frames, so that the caller encodes a text for
    /// several clients only once.
    package func send(_ frames: [Frame]) {
        run { socket in for frame in frames { socket.send(frame) } }
    }

    /// Sends the same texts over all these sockets. Each loop receives one message, and therefore wakes up only once
    /// for all of its sockets.
    package static func send(_ frames: [Frame], over lines: [ChatLine]) {
        var loops: [(mailbox: Mailbox<LoopMessage>, numbers: [Int])] = []
        for line in lines {
            if let index = loops.firstIndex(where: { $0.mailbox === line.mailbox }) {
                loops[index].numbers.append(line.number)
            } else {
                loops.append((line.mailbox, [line.number]))
            }
        }
        for loop in loops { loop.mailbox.post(.feature(ChatMessage.send(numbers: loop.numbers, frames))) }
    }

    /// Closes the socket with a close frame.
    package func close(_ status: CloseStatus) { run { $0.close(status) } }

    /// Runs `body` with the socket on its loop.
    package func run(_ body: @escaping @Sendable (ChatSocket) -> Void) {
        mailbox.post(.feature(ChatMessage.run(number: number, body)))
    }
}

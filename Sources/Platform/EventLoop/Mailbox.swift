// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc
internal import Locking

/// A queue of messages from other threads to a loop. The mailbox keeps the messages' order and wakes the loop once for
/// all waiting messages.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct Unread {
        var waiting: [Message] = []
        /// The number of fetched messages that follow the message being received.
        var fetched = 0
    }

    private let unread = Locked(Unread())
    private let wake: Int32

    fileprivate init() throws(SystemCallError) {
        wake = try check("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
    }

    deinit { close(wake) }

    /// Adds a message to the queue. Any thread may call this method.
    package func post(_ message: Message) {
        let wasEmpty = unread.withLock { unread in
            unread.waiting.append(message)
            return unread.waiting.count == 1
        }
        if wasEmpty { eventfd_write(wake, 1) }
    }

    /// Whether the mailbox contains messages that the loop has not received yet. The message being received does not
    /// count. If the loop's own thread reads false, the loop has received every message that was posted before.
    package var hasUnread: Bool { unread.withLock { !$0.waiting.isEmpty || $0.fetched > 0 } }

    fileprivate func fetchAll() -> [Message] {
        // Read the counter before the messages. A message that is posted between the two reads increments the counter
        // again. The loop then makes one unnecessary pass, and no message is lost.
        var count: eventfd_t = 0
        eventfd_read(wake, &count)
        return unread.withLock { unread in
            defer { unread.waiting = [] }
            unread.fetched = unread.waiting.count
            return unread.waiting
        }
    }

    fileprivate func receives() { unread.withLock { $0.fetched -= 1 } }

    fileprivate var descriptor: Int32 { wake }
}

extension EventLoop {
    /// Creates a mailbox for this loop. The loop's thread calls `receive` for each message, in order.
    package func mailbox<Message: Sendable>(
        _ receive: @escaping (Message) -> Void
    ) throws(SystemCallError) -> Mailbox<Message> {
        let mailbox = try Mailbox<Message>()
        _ = try watch(mailbox.descriptor, for: .readable, handler: MailboxReader(mailbox, receive))
        return mailbox
    }
}

private final class MailboxReader<Message: Sendable>: ReadinessHandler {
    private let mailbox: Mailbox<Message>
    private let receive: (Message) -> Void

    init(_ mailbox: Mailbox<Message>, _ receive: @escaping (Message) -> Void) {
        self.mailbox = mailbox
        self.receive = receive
    }

    func ready(_ readiness: Readiness) {
        for message in mailbox.fetchAll() {
            mailbox.receives()
            receive(message)
        }
    }
}

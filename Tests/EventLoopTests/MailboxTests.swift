// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Locking
import Testing

@Suite("Messages to a loop from other threads")
struct MailboxTests {
    @Test func `messages that are posted before the loop runs are received in order`() throws {
        let loop = try EventLoop()
        var received: [Int] = []
        let mailbox = try loop.mailbox { [unowned loop] (number: Int) in
            received.append(number)
            if number == 3 { loop.stop() }
        }
        for number in 1...3 { mailbox.post(number) }
        try loop.runWithinLimit()

        #expect(received == [1, 2, 3])
    }

    @Test func `a message that is posted while another one is received is not lost`() throws {
        let loop = try EventLoop()
        var received: [Int] = []
        var mailbox: Mailbox<Int>?
        mailbox = try loop.mailbox { [unowned loop] number in
            received.append(number)
            if number < 10 { mailbox?.post(number + 1) } else { loop.stop() }
        }
        mailbox?.post(1)
        try loop.runWithinLimit()

        #expect(received == Array(1...10))
    }

    @Test func `a mailbox has unread messages until the last one is received`() throws {
        let loop = try EventLoop()
        var found: [Bool] = []
        var mailbox: Mailbox<Int>?
        mailbox = try loop.mailbox { [unowned loop] number in
            found.append(mailbox?.hasUnread ?? false)
            if number == 2 { mailbox?.post(3) }
            if number == 3 { loop.stop() }
        }

        #expect(mailbox?.hasUnread == false)

        mailbox?.post(1)
        mailbox?.post(2)

        #expect(mailbox?.hasUnread == true)

        try loop.runWithinLimit()

        // After the first message there is a second one. After the second and the third there is none.
        #expect(found == [true, false, false])
        #expect(mailbox?.hasUnread == false)
    }

    @Test func `concurrent messages from four threads all arrive, in order for each sender`() throws {
        let (senders, messages) = (4, 10_000)
        let loop = try EventLoop()
        var received = [[Int]](repeating: [], count: senders)
        var count = 0
        let mailbox = try loop.mailbox { [unowned loop] (message: (sender: Int, number: Int)) in
            received[message.sender].append(message.number)
            count += 1
            if count == senders * messages { loop.stop() }
        }
        let threads = try (0..<senders).map { sender in
            try WorkerThread(name: "sender \(sender)") {
                for number in 0..<messages { mailbox.post((sender, number)) }
            }
        }
        try loop.runWithinLimit()
        for thread in threads { thread.join() }

        #expect(received.allSatisfy { $0 == Array(0..<messages) })
    }

    @Test func `a waiting loop wakes up for each message`() throws {
        let loop = try EventLoop()
        let answers = Monitor(0)
        final class Shared: Sendable {
            let answered: Monitor<Int>
            init(_ answered: consuming Monitor<Int>) { self.answered = answered }
        }
        let shared = Shared(answers)
        let mailbox = try loop.mailbox { [unowned loop] (number: Int) in
            shared.answered.withLock { $0 = number }
            shared.answered.notifyAll()
            if number == 500 { loop.stop() }
        }
        let sender = try WorkerThread(name: "asker") {
            for number in 1...500 {
                mailbox.post(number)
                guard shared.answered.wait(until: { $0 == number }, atMost: .seconds(30)) else { return }
            }
        }
        try loop.runWithinLimit()
        sender.join()

        #expect(shared.answered.withLock { $0 } == 500)
    }
}

// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The interface through which a handler of the control plane sends a streamed response to the client.
package struct ResponseStream: Sendable {
    private let mailbox: Mailbox<LoopMessage>
    private let call: Int

    init(_ mailbox: Mailbox<LoopMessage>, call: Int) {
        self.mailbox = mailbox
        self.call = call
    }

    /// Sends bytes. In a paced stream, waits until the client has received enough of the earlier bytes. Returns false
    /// if the client can receive no further bytes.
    package func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            post(.write(bytes) { continuation.resume(returning: $0) })
        }
    }

    /// Aborts the response so that no client mistakes it for a complete response.
    package func abort() { post(.abort) }

    /// Waits for the duration. Returns false as soon as the client no longer exists.
    package func pause(for duration: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            post(.pause(duration) { continuation.resume(returning: $0) })
        }
    }

    private func post(_ message: CallMessage) {
        mailbox.post(.feature(ControlMessage(call: call, message: message)))
    }
}

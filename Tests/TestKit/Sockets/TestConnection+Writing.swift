// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TestConnection {
    /// Sends all bytes. If the peer reads slowly, waits for buffer space.
    ///
    /// - Throws: `timedOut` if there is no space within the limit, and `reset` if the peer has disconnected.
    package func write(_ bytes: some Sequence<UInt8>, within limit: Duration = TestConnection.defaultLimit) throws {
        let deadline = Deadline(after: limit)
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            sent += try send(bytes, from: sent, deadline)
        }
    }

    /// Sends a text as UTF-8.
    package func write(_ text: String, within limit: Duration = TestConnection.defaultLimit) throws {
        try write(Array(text.utf8), within: limit)
    }

    /// Sends the bytes in pieces of `size` with `interval` between them, so that the peer receives each piece
    /// separately.
    ///
    /// The delay simulates a slow peer and does not synchronise threads. It ends early if the peer resets the
    /// connection.
    package func writeSlowly(_ bytes: some Sequence<UInt8>, partSize size: Int = 1, interval: Duration) throws {
        let bytes = Array(bytes)
        for start in stride(from: 0, to: bytes.count, by: max(1, size)) {
            if start > 0 { try pause(interval) }
            try write(bytes[start..<min(bytes.count, start + max(1, size))])
        }
    }

    /// Sends a text like `writeSlowly` for bytes.
    package func writeSlowly(_ text: String, partSize size: Int = 1, interval: Duration) throws {
        try writeSlowly(Array(text.utf8), partSize: size, interval: interval)
    }

    /// Sends as many bytes as the peer and both kernels accept without waiting, and returns their number. This fills
    /// the window of a peer that does not read.
    package func writeUntilFull(_ fragment: [UInt8], atMost maximum: Int, stalledAfter limit: Duration) throws -> Int {
        var total = 0
        while total < maximum, !fragment.isEmpty {
            do {
                total += try send(fragment, from: 0, Deadline(after: limit))
            } catch TestKitError.timedOut {
                break
            }
        }
        return total
    }

    /// Waits for the given time.
    ///
    /// - Throws: An error if the peer resets the connection or this side closes it in the meantime.
    package func pause(_ time: Duration) throws {
        try use("a pause") { descriptor in
            // No event is requested, so only an error or the end of both directions (POLLERR, POLLHUP) ends the wait
            // early.
            var descriptors = [pollfd(fd: descriptor, events: 0, revents: 0)]
            if try SystemCall.wait(&descriptors, until: Deadline(after: time)) {
                if isClosed { throw TestKitError.closedHere(during: "a pause") }
                throw TestKitError.reset(during: "a pause")
            }
        }
    }

    private func send(_ bytes: [UInt8], from start: Int, _ deadline: Deadline) throws -> Int {
        try use("writing") { descriptor in
            while true {
                let sent = bytes.withUnsafeBytes { buffer in
                    Glibc.send(
                        descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start,
                        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                }
                let code = errno
                if sent >= 0 { return sent }
                switch code {
                case EINTR: continue
                case EAGAIN: break
                case ECONNRESET, EPIPE:
                    if isClosed { throw TestKitError.closedHere(during: "writing") }
                    throw TestKitError.reset(during: "writing")
                default: throw TestKitError.system(operation: "send", code: code)
                }
                var descriptors = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                if try !SystemCall.wait(&descriptors, until: deadline) {
                    throw TestKitError.timedOut(after: deadline.limit, waitingFor: "room to write")
                }
            }
        }
    }
}

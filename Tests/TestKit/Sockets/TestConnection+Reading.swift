// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TestConnection {
    /// Returns between one and `count` bytes as soon as bytes arrive. An empty result means that the peer has closed
    /// its direction cleanly (FIN).
    ///
    /// - Throws: `reset` after a RST, and `timedOut` if nothing arrives.
    package func read(
        upTo count: Int = 65_536, within limit: Duration = TestConnection.defaultLimit,
        waitingFor what: String = "bytes"
    ) throws -> [UInt8] {
        let kept = unread.withLock { $0.removeFirst(count) }
        if !kept.isEmpty || count == 0 { return kept }
        return try receive(upTo: count, Deadline(after: limit), what)
    }

    /// Returns exactly the given number of bytes.
    ///
    /// - Throws: `closed` if the peer closes the connection before.
    package func readExactly(
        _ count: Int, within limit: Duration = TestConnection.defaultLimit, waitingFor what: String = "bytes"
    ) throws -> [UInt8] {
        let deadline = Deadline(after: limit)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let state = "\(what) (\(bytes.count) of \(count))"
            do {
                let part = try read(upTo: count - bytes.count, by: deadline, state)
                if part.isEmpty { throw TestKitError.closed(waitingFor: state) }
                bytes += part
            } catch TestKitError.timedOut {
                // Keep the received bytes for the next call.
                pushBack(bytes[...])
                throw TestKitError.timedOut(after: limit, waitingFor: state)
            }
        }
        return bytes
    }

    /// Returns all bytes up to and including the delimiter, or nil if the peer closed the connection before the first
    /// byte.
    ///
    /// - Throws: `closed` if the peer closes the connection after the first byte, and `malformed` if more than
    ///   `maximum` bytes arrive without the delimiter.
    package func readThrough(
        _ delimiter: String, within limit: Duration = TestConnection.defaultLimit, waitingFor what: String,
        maximum: Int = 1 << 20
    ) throws -> [UInt8]? {
        let deadline = Deadline(after: limit)
        let delimiter = Array(delimiter.utf8)
        var searched = 0
        while true {
            let found = unread.withLock { buffer in
                let bytes = buffer.length(through: delimiter, from: searched).map { buffer.removeFirst($0) }
                // A delimiter can span two reads, so the search continues just before the new bytes.
                searched = max(0, buffer.count - delimiter.count + 1)
                return (bytes: bytes, waiting: buffer.count)
            }
            if let bytes = found.bytes { return bytes }
            if found.waiting > maximum { throw TestKitError.malformed("\(what) is longer than \(maximum) bytes") }
            let part = try receive(upTo: 65_536, deadline, what)
            if part.isEmpty {
                if found.waiting == 0 { return nil }
                throw TestKitError.closed(waitingFor: "the rest of \(what) after \(found.waiting) bytes")
            }
            unread.withLock { $0.append(part) }
        }
    }

    /// Returns all bytes until the peer closes its direction cleanly.
    ///
    /// - Throws: `reset` if the peer resets the connection instead.
    package func readUntilClose(within limit: Duration = TestConnection.defaultLimit) throws -> [UInt8] {
        let (bytes, ending) = try readUntilEnd(within: limit)
        if ending == .reset { throw TestKitError.reset(during: "reading until close, after \(bytes.count) bytes") }
        return bytes
    }

    /// Returns all bytes until the peer closes its sending side or resets the connection.
    package func readUntilEnd(
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> (bytes: [UInt8], ending: Ending) {
        let deadline = Deadline(after: limit)
        var bytes: [UInt8] = []
        while true {
            do {
                let part = try read(upTo: 65_536, by: deadline, "the peer to close")
                if part.isEmpty { return (bytes, .closed) }
                bytes += part
            } catch TestKitError.reset {
                return (bytes, .reset)
            }
        }
    }

    /// Discards all bytes until the peer closes its sending side or resets the connection, and returns which of the two
    /// happened.
    @discardableResult
    package func waitForEnd(within limit: Duration = TestConnection.defaultLimit) throws -> Ending {
        let deadline = Deadline(after: limit)
        do {
            while try !read(upTo: 65_536, by: deadline, "the peer to close").isEmpty {}
            return .closed
        } catch TestKitError.reset {
            return .reset
        }
    }

    /// Closes the connection gracefully: sends FIN, waits for the end of the peer's direction, and then closes the
    /// socket.
    ///
    /// If a socket is closed while bytes from the peer are unread, the kernel sends a reset, which can destroy the last
    /// response.
    @discardableResult
    package func finish(within limit: Duration = TestConnection.defaultLimit) throws -> Ending {
        defer { close() }
        try shutdownWrite()
        return try waitForEnd(within: limit)
    }

    /// Returns true if neither a byte nor the end of the connection arrives during the whole time.
    package func staysSilent(for time: Duration) throws -> Bool {
        do {
            pushBack(try read(upTo: 65_536, within: time, waitingFor: "silence to be broken")[...])
            return false
        } catch TestKitError.timedOut {
            return true
        }
    }

    /// Inserts bytes before the bytes that are read next.
    package func pushBack(_ bytes: ArraySlice<UInt8>) {
        if bytes.isEmpty { return }
        unread.withLock { $0.prepend(Array(bytes)) }
    }

    private func read(upTo count: Int, by deadline: Deadline, _ what: String) throws -> [UInt8] {
        do {
            return try read(upTo: count, within: deadline.remaining, waitingFor: what)
        } catch TestKitError.timedOut {
            throw TestKitError.timedOut(after: deadline.limit, waitingFor: what)
        }
    }

    private func receive(upTo count: Int, _ deadline: Deadline, _ what: String) throws -> [UInt8] {
        try use("reading \(what)") { descriptor in
            while true {
                var code: Int32 = 0
                var received = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                    received = recv(descriptor, buffer.baseAddress, count, Int32(MSG_DONTWAIT))
                    code = errno
                    initialized = max(0, received)
                }
                // When this side closes the connection, the waiting thread cannot distinguish this from a FIN of the
                // peer.
                if isClosed { throw TestKitError.closedHere(during: "reading \(what)") }
                if received >= 0 { return bytes }
                switch code {
                case EINTR: continue
                case EAGAIN: break
                case ECONNRESET, EPIPE: throw TestKitError.reset(during: "reading \(what)")
                default: throw TestKitError.system(operation: "recv", code: code)
                }
                var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
                if try !SystemCall.wait(&descriptors, until: deadline) {
                    throw TestKitError.timedOut(after: deadline.limit, waitingFor: what)
                }
            }
        }
    }
}

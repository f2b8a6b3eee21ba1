// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestKit
import Testing

@Suite("Listening and connected sockets")
struct SocketTests {
    /// The two ends of a connection over loopback, one for the loop and one for the test.
    private struct Pair {
        let socket: Socket
        let peer: TestConnection
        private let scratch = ScratchBuffer(capacity: 1024)

        init() throws {
            let listener = try Listener(on: loopback)
            peer = try TestClient.connect(port: listener.address.port)
            (socket, _) = try accepted(by: listener)
        }

        /// Reads once, without waiting for bytes.
        func receiveNow() -> (received: Socket.Received, text: String) {
            var bytes: [UInt8] = []
            let received = socket.receive(scratch) { span in
                for index in 0..<span.count { bytes.append(span[index]) }
            }
            return (received, String(decoding: bytes, as: UTF8.self))
        }

        /// Waits until bytes are available, then reads once.
        func receive() throws -> (received: Socket.Received, text: String) {
            try waitUntilReady(socket.descriptor, for: .readable)
            return receiveNow()
        }
    }

    @Test func `each side reads exactly the bytes that the other side writes`() throws {
        let pair = try Pair()

        #expect(pair.receiveNow().received == .nothingYet)

        try pair.peer.write("hello")

        #expect(try pair.receive() == (.bytes(5), "hello"))
        #expect(pair.receiveNow() == (.nothingYet, ""))
        #expect(pair.socket.send(Array("answer".utf8).span) == .bytes(6))
        #expect(try pair.peer.readExactly(6) == Array("answer".utf8))
    }

    @Test func `a socket reports how many bytes were read from it, regardless of the code that read them`() throws {
        let pair = try Pair()

        #expect(pair.socket.bytesRead == 0)

        try pair.peer.write("hello")
        try waitUntilReady(pair.socket.descriptor, for: .readable)

        #expect(pair.socket.bytesRead == 0)

        var byte: UInt8 = 0

        #expect(recv(pair.socket.descriptor, &byte, 1, 0) == 1)
        #expect(pair.socket.bytesRead == 1)
        #expect(pair.receiveNow().text == "ello")
        #expect(pair.socket.bytesRead == 5)

        let local = try Bell()
        let other = Socket(owning: local.descriptor)

        #expect(other.bytesRead == nil)

        _ = other.release()
    }

    @Test func `a released descriptor stays open when its socket is closed`() throws {
        let pair = try Pair()
        let descriptor = pair.socket.release()
        pair.socket.close()

        #expect(pair.socket.descriptor == -1)
        #expect(fcntl(descriptor, F_GETFD) >= 0)

        close(descriptor)
    }

    @Test func `a read returns at most one buffer, and the next read the remainder`() throws {
        let pair = try Pair()
        let text = String(repeating: "0123456789", count: 150)
        try pair.peer.write(text)
        try pair.peer.shutdownWrite()
        var (read, largest) = ("", 0)
        while case (.bytes(let count), let fragment) = try pair.receive() {
            #expect(count == fragment.utf8.count)
            largest = max(largest, count)
            read += fragment
        }

        #expect(read == text)
        #expect(largest <= 1024)
    }

    @Test func `the peer's end is read after its bytes, and the other direction stays open`() throws {
        let pair = try Pair()
        try pair.peer.write("last")
        try pair.peer.shutdownWrite()

        #expect(try pair.receive() == (.bytes(4), "last"))
        #expect(try pair.receive().received == .end)
        #expect(pair.socket.send(Array("still".utf8).span) == .bytes(5))
        #expect(try pair.peer.readExactly(5) == Array("still".utf8))
    }

    @Test func `a socket that shuts down writing can still read the peer's reply`() throws {
        let pair = try Pair()

        #expect(pair.socket.send(Array("bye".utf8).span) == .bytes(3))

        pair.socket.shutdownWriting()

        #expect(try pair.peer.readUntilClose() == Array("bye".utf8))

        try pair.peer.write("reply")

        #expect(try pair.receive() == (.bytes(5), "reply"))
    }

    @Test func `a reset by the peer makes reading and writing fail`() throws {
        let pair = try Pair()
        pair.peer.reset()

        #expect(try pair.receive().received == .failed(ECONNRESET))
        #expect(pair.socket.send(Array("x".utf8).span) == .failed(EPIPE))
    }

    @Test func `the end of a peer is reported without reading`() throws {
        let pair = try Pair()
        try pair.peer.write("unread")
        pair.peer.close()
        let readiness = try waitUntilReady(pair.socket.descriptor, for: .peerClosed)

        #expect(readiness.contains(.peerClosed))
        #expect(!readiness.isDisjoint(with: .closed))
        #expect(pair.receiveNow() == (.bytes(6), "unread"))
    }

    @Test(arguments: [false, true])
    func `closing ends a connection cleanly, resetting aborts it, and repeating either has no effect`(resets: Bool)
        throws
    {
        let pair = try Pair()
        if resets { pair.socket.reset() } else { pair.socket.close() }

        #expect(pair.socket.descriptor == -1)
        #expect(try pair.peer.waitForEnd() == (resets ? .reset : .closed))

        pair.socket.close()
        pair.socket.reset()

        #expect(pair.socket.descriptor == -1)
    }

    @Test func `a socket that is no longer referenced is closed`() throws {
        let peer: TestConnection
        do {
            let pair = try Pair()
            peer = pair.peer
        }

        #expect(try peer.waitForEnd() == .closed)
    }

    @Test func `sending to full kernel buffers accepts no bytes, and the socket is writable again later`() throws {
        let pair = try Pair()

        #expect(pair.socket.unacknowledgedBytes == 0)

        let fragment = [UInt8](repeating: 0x78, count: 256 * 1024)
        var sent = 0
        var last = pair.socket.send(fragment.span)
        while case .bytes(let count) = last, count > 0 {
            sent += count
            last = pair.socket.send(fragment.span)
        }

        #expect(last == .bytes(0))
        #expect(pair.socket.unacknowledgedBytes > 0)
        #expect(pair.socket.unacknowledgedBytes <= sent)
        #expect(try pair.peer.readExactly(sent).count == sent)
        #expect(try waitUntilReady(pair.socket.descriptor, for: .writable).contains(.writable))
        #expect(pair.socket.send(Array("x".utf8).span) == .bytes(1))
    }

    @Test func `sending no bytes returns a count of zero`() throws {
        let pair = try Pair()

        #expect(pair.socket.send([UInt8]().span) == .bytes(0))
    }

    @Test func `a duplicate is another descriptor of the same socket`() throws {
        let pair = try Pair()
        let duplicate = Socket(owning: try SocketOptions.duplicate(pair.socket.descriptor))

        #expect(duplicate.descriptor != pair.socket.descriptor)
        #expect(fcntl(duplicate.descriptor, F_GETFD) & FD_CLOEXEC != 0)

        pair.socket.close()

        #expect(duplicate.send(Array("copy".utf8).span) == .bytes(4))
        #expect(try pair.peer.readExactly(4) == Array("copy".utf8))
    }

    @Test func `a descriptor that is redirected to a closed peer reads the end`() throws {
        let pair = try Pair()
        let gone = Socket(owning: try SocketOptions.closedPeer())
        try SocketOptions.duplicate(gone.descriptor, onto: pair.socket.descriptor)

        #expect(try pair.peer.waitForEnd() == .closed)
        #expect(try pair.receive().received == .end)
        #expect(pair.socket.send(Array("x".utf8).span) == .failed(EPIPE))
    }
}

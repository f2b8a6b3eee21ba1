// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import HTTPTypes
import Testing

@testable import HTTPClient

/// Tests an outgoing request without a socket: the bytes and their order are the same, regardless of how many bytes the
/// kernel accepts at a time.
@Suite("Sending of a request") struct OutgoingRequestTests {
    private func outgoing(_ body: UpstreamRequest.Body) -> OutgoingRequest {
        var pool = TextPool()
        return OutgoingRequest(
            UpstreamRequest(
                instance: InstanceAddress(ip: .loopback, port: 1), method: .put, methodName: "PUT",
                target: [UInt8(ascii: "/")], fields: FieldList(), body: body),
            authority: Array("127.0.0.1:1".utf8), in: &pool)
    }

    /// Sends at most `step` bytes at a time until there are no more bytes to send.
    private func send(_ request: inout OutgoingRequest, _ step: Int) -> String {
        var wire: [UInt8] = []
        while request.canSend() {
            let sent = request.send { text, content, lineEnd in
                var all: [UInt8] = []
                all.append(copying: text)
                all.append(copying: content)
                all.append(copying: lineEnd)
                let fragment = all.prefix(step)
                wire += fragment
                return fragment.count
            }
            #expect(sent != 0)
        }
        return String(decoding: wire, as: UTF8.self)
    }

    private func add(_ text: String, _ request: inout OutgoingRequest) {
        var queue = ByteQueue()
        queue.append(contentsOf: text.utf8)
        request.append(&queue)
        #expect(queue.isEmpty)
    }

    private static let head = "PUT / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n"

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `a request with a whole body has its Content-Length and can be sent again`(step: Int) {
        var request = outgoing(.whole([UInt8(ascii: "x")]))

        #expect(!request.isStreamed)
        #expect(request.hasMore)
        #expect(!request.isFullySent)
        #expect(send(&request, step) == Self.head + "Content-Length: 1\r\n\r\nx")
        #expect(request.isFullySent)
        #expect(!request.hasMore)

        request.rewind()

        #expect(send(&request, step) == Self.head + "Content-Length: 1\r\n\r\nx")
        #expect(request.removeText().count == (Self.head + "Content-Length: 1\r\n\r\nx").utf8.count)
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func `a body of known length is sent unchunked as it arrives`(step: Int) {
        var request = outgoing(.streamed(length: 11))

        #expect(send(&request, step) == Self.head + "Content-Length: 11\r\n\r\n")
        #expect(request.isStreamed)
        #expect(!request.isFullySent)
        #expect(!request.hasMore)

        add("hello ", &request)

        #expect(request.waitingContent == 6)
        #expect(send(&request, step) == "hello ")
        #expect(request.waitingContent == 0)

        add("world", &request)
        request.finishContent()

        #expect(!request.isFullySent)
        #expect(send(&request, step) == "world")
        #expect(request.isFullySent)
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func `a body of unknown length is sent chunked`(step: Int) {
        var request = outgoing(.streamed(length: nil))
        // The head and the first chunk are sent together if both are available.
        add("hello, world: 26 characters", &request)

        #expect(
            send(&request, step)
                == Self.head + "Transfer-Encoding: chunked\r\n\r\n1b\r\nhello, world: 26 characters\r\n")
        #expect(!request.hasMore)
        #expect(!request.isFullySent)

        add("x", &request)

        #expect(send(&request, step) == "1\r\nx\r\n")

        add("last", &request)
        request.finishContent()

        #expect(send(&request, step) == "4\r\nlast\r\n0\r\n\r\n")
        #expect(request.isFullySent)
        #expect(!request.hasMore)
    }

    @Test func `bytes that arrive while a chunk is being sent form the next chunk`() {
        var request = outgoing(.streamed(length: nil))

        #expect(send(&request, 1000).hasSuffix("\r\n\r\n"))

        add("abc", &request)

        // The first call sends the chunk's size and one byte of its content.
        #expect(request.send { _, _, _ in 4 } == 4)

        add("defg", &request)
        request.finishContent()

        #expect(send(&request, 2) == "bc\r\n4\r\ndefg\r\n0\r\n\r\n")
    }

    @Test func `an empty chunked body ends with the last chunk`() {
        var request = outgoing(.streamed(length: nil))
        request.finishContent()

        #expect(!request.isFullySent)
        #expect(send(&request, 5).hasSuffix("chunked\r\n\r\n0\r\n\r\n"))
        #expect(request.isFullySent)
    }

    @Test func `no byte is lost when the kernel accepts no bytes`() {
        var request = outgoing(.streamed(length: 3))
        add("abc", &request)

        #expect(request.send { _, _, _ in 0 } == 0)
        #expect(request.send { _, _, _ in nil } == nil)
        #expect(send(&request, 1000).hasSuffix("\r\n\r\nabc"))
    }

    @Test func `the memory of an unsent request is not released for reuse`() {
        var request = outgoing(.none)

        #expect(request.removeText().isEmpty)
        #expect(send(&request, 1000) == Self.head + "\r\n")
    }
}

extension OutgoingRequest {
    // Uses a copy, because an expectation cannot call a `mutating` method.
    fileprivate var hasMore: Bool {
        var copy = self
        return copy.canSend()
    }
    fileprivate var isFullySent: Bool {
        var copy = self
        return copy.isSent()
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import HTTPServer

/// Tests whether a client's connection remains usable after a response that was written to the socket directly.
@Suite struct KeepAliveTests {
    @Test func `a socket's requests account for the bytes of their heads and bodies`() {
        var account = SocketAccount()

        #expect(account.isEven(with: 0))

        account.countRequest(head: 100, .none)
        account.countRequest(head: 50, .length(7))

        #expect(account.isEven(with: 157))
        // The library has read the beginning of the next request, or an empty line before it.
        #expect(!account.isEven(with: 158))
        #expect(!account.isEven(with: 156))
        #expect(!account.isEven(with: nil))
    }

    @Test func `a socket's byte count is unknown after a chunked body`() {
        var account = SocketAccount()
        account.countRequest(head: 100, .chunked)
        account.countRequest(head: 100, .none)

        #expect(account.counted == nil)
        #expect(!account.isEven(with: 200))
        #expect(!account.isEven(with: nil))
    }

    @Test(arguments: [BodyLength.none(announced: nil), .known(5), .unknown], [false, true])
    func `a connection continues after a request that is not the last if no later byte was read`(
        length: BodyLength, isEventStream: Bool
    ) {
        #expect(
            AnswerEnd.of(length, isEventStream: isEventStream, isLastRequest: false, isReadEven: true) == .reused)

        for isReadEven in [false, true] {
            #expect(
                AnswerEnd.of(length, isEventStream: isEventStream, isLastRequest: true, isReadEven: isReadEven)
                    == .announced)
        }
    }

    @Test func `a connection's end is not announced for a body of unknown length or an event stream`() {
        for (length, isEventStream, end) in [
            (.unknown, false, .unannounced), (.unknown, true, .unannounced), (.known(5), true, .unannounced),
            (.known(5), false, .announced), (.none(announced: nil), false, .announced),
        ] as [(BodyLength, Bool, AnswerEnd)] {
            #expect(
                AnswerEnd.of(length, isEventStream: isEventStream, isLastRequest: false, isReadEven: false) == end)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FrameCases
import Testing

@testable import WebSockets

/// Tests the cases of the Autobahn test suite, with an endpoint that echoes every message.
@Suite struct FrameCaseTests {
    /// Returns the frames that the endpoint sends in response to these chunks.
    private static func answers(to fragments: [[UInt8]]) -> [ServerFrame] {
        let endpoint = WebSocketEndpoint(limit: 1 << 20)
        var frames: [ServerFrame] = []
        for fragment in fragments {
            endpoint.receive(fragment) { event in
                if case .message(let message) = event {
                    endpoint.send(Frame(message.isText ? .text : .binary, message.bytes))
                }
            }
            frames += endpoint.takeFrames()
        }
        #expect(endpoint.phase == .ended)
        #expect(endpoint.isIdle)
        return frames
    }

    @Test(arguments: FrameCase.all) func `each Autobahn case is answered as the test suite requires`(
        _ frameCase: FrameCase
    ) {
        let frames = Self.answers(to: frameCase.sent)

        #expect(frameCase.isMet(by: frames), "\(frames.prefix(5))")
    }

    @Test(arguments: FrameCase.small)
    func `each small Autobahn case is answered correctly for every split of its bytes`(_ frameCase: FrameCase) {
        let bytes = frameCase.sent.flatMap(\.self)
        for size in [1, 2, 3, 7] {
            let fragments = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            let frames = Self.answers(to: fragments)
            #expect(frameCase.isMet(by: frames), "in pieces of \(size): \(frames.prefix(5))")
        }
        let frames = Self.answers(to: [bytes])

        #expect(frameCase.isMet(by: frames), "in one piece: \(frames.prefix(5))")
    }

    @Test func `every group of Autobahn cases has the expected number of cases`() {
        let groups = Dictionary(grouping: FrameCase.all) { $0.id.prefix { $0 != "." } }.mapValues(\.count)

        #expect(groups == ["1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54])
        #expect(Set(FrameCase.all.map(\.id)).count == FrameCase.all.count)
    }
}

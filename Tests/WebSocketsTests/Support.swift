// SPDX-License-Identifier: Apache-2.0

import Encodings
import FrameCases

@testable import WebSockets

extension WebSocketEndpoint {
    /// Returns the bytes to send next and marks them as sent.
    func takeNext() -> [UInt8] {
        var bytes: [UInt8] = []
        let count = outgoing.withNext { first, second, third in
            bytes.append(copying: first)
            bytes.append(copying: second)
            bytes.append(copying: third)
            return first.count + second.count + third.count
        }
        sent(count)
        return bytes
    }

    /// Returns all frames to send and marks them as sent.
    func takeFrames() -> [ServerFrame] {
        var bytes: [UInt8] = []
        while !outgoing.isEmpty { bytes += takeNext() }
        var remainder = bytes[...]
        var frames: [ServerFrame] = []
        while let frame = ServerFrame.parse(&remainder) { frames.append(frame) }
        return remainder.isEmpty ? frames : []
    }

    /// Processes bytes from an array.
    func receive(_ bytes: [UInt8], _ reported: (Event) -> Void = { _ in }) { receive(bytes.span, reported) }
}

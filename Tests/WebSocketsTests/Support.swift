import FrameCases

@testable import WebSockets

extension WebSocketEndpoint {
    /// The bytes that are to be sent next, which count as sent.
    func takeNext() -> [UInt8] {
        var bytes: [UInt8] = []
        let count = outgoing.withNext { first, second, third in
            for index in first.indices { bytes.append(first[index]) }
            for index in second.indices { bytes.append(second[index]) }
            for index in third.indices { bytes.append(third[index]) }
            return first.count + second.count + third.count
        }
        sent(count)
        return bytes
    }

    /// Everything that is to be sent.
    func takeFrames() -> [ServerFrame] {
        var bytes: [UInt8] = []
        while !outgoing.isEmpty { bytes += takeNext() }
        var rest = bytes[...]
        var frames: [ServerFrame] = []
        while let frame = ServerFrame.take(&rest) { frames.append(frame) }
        return rest.isEmpty ? frames : []
    }

    /// Takes these bytes.
    func receive(_ bytes: [UInt8], _ told: (Event) -> Void = { _ in }) { receive(bytes.span, told) }
}

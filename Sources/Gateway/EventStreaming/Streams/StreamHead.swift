// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import GatewayCore
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
import Proxying

/// The heads of the hub's streams, and the frames that contain no event from the log.
enum StreamHead {
    /// Returns the head of a response that contains an event stream.
    static func head(_ owner: GatewayLoop, _ connection: ClientConnection) -> ResponseHead {
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "text/event-stream")
        // Send the fields that OpenCode sends on its streams: the stream directives, and since
        // OpenCode 1.2 also `nosniff`.
        head.fields.append("X-Content-Type-Options", "nosniff")
        head.fields.appendStreamDirectives()
        head = owner.completed(GatewayAnswer(head: head, body: []), connection).head
        if !head.fields.contains(.origin, in: .vary) { head.fields.append("Vary", "Origin") }
        return head
    }

    /// Returns the line with the time after which a client reconnects. The time is random, so that the clients do not
    /// all reconnect at once.
    static func retry() -> [UInt8] { Array("retry: \(Int.random(in: 500...1_500))\n".utf8) }

    /// Returns OpenCode 1's heartbeat, with the id of the last event. The id advances the position of a client to which
    /// the stream has sent no event.
    static func heartbeat(_ shape: EventShape, _ id: EventID?) -> [UInt8] {
        var frame = id.map { Array("id: \($0.text)\n".utf8) } ?? []
        let eventID = String(decoding: OpenCodeEventID.make(at: WallClock.milliseconds), as: UTF8.self)
        let data = #"{"id":"\#(eventID)","type":"server.heartbeat","properties":{}}"#
        if case .payload = shape {
            frame += "data: \(data)\n\n".utf8
        } else {
            frame += "data: {\"payload\":\(data)}\n\n".utf8
        }
        return frame
    }

    /// Returns a comment. The comment's id advances the position of a client whose filter rejects all events.
    static func comment(_ id: EventID?) -> [UInt8] {
        Array((id.map { ":\nid: \($0.text)\n\n" } ?? ":\n\n").utf8)
    }
}

import HTTPServer
import HTTPTypes

/// Makes the head that the client gets out of an instance's. Pure.
enum ResponseForwarding {
    /// The client's head: hop-by-hop fields and the framing are left out, which the connection to the client makes
    /// anew. What an instance says of web pages that may read its answers is replaced by `terms`, the gateway's own;
    /// only which fields they may read is its to say.
    static func head(_ head: ResponseHead, _ terms: CrossOriginTerms? = nil) -> ResponseHead {
        let more = terms?.fields
        var fields = FieldList(
            fields: head.fields.count + 2 + (more?.count ?? 0),
            bytes: head.fields.byteCount + 64 + (more?.byteCount ?? 0))
        let hopByHop = HopByHop(head.fields)
        let isStream = head.isEventStream
        for index in 0..<head.fields.count {
            let name = head.fields.knownName(at: index)
            if hopByHop.holdsBack(at: index) || name == .contentLength { continue }
            // A stream's own words about caching are replaced, not doubled.
            if isStream, name == .cacheControl || name == .accelBuffering { continue }
            if name.grantsCrossOrigin, name != .accessControlExposeHeaders || terms?.isGranted != true { continue }
            fields.append(fieldAt: index, of: head.fields)
        }
        if isStream {
            // No proxy in between may hold events back or change them (nginx's own field, RFC 9111 §5.2.2.6).
            fields.append("Cache-Control", "no-cache, no-transform")
            fields.append("X-Accel-Buffering", "no")
        }
        if let more { fields.append(contentsOf: more) }
        return ResponseHead(status: head.status, fields: fields)
    }

    /// The head of a 101, whose Upgrade field must reach the client.
    static func upgradeHead(_ head: ResponseHead) -> ResponseHead {
        var fields = FieldList()
        let hopByHop = HopByHop(head.fields)
        for index in 0..<head.fields.count
        where head.fields.knownName(at: index) == .upgrade || !hopByHop.holdsBack(at: index) {
            let name = head.fields.knownName(at: index)
            if name == .contentLength || name.grantsCrossOrigin { continue }
            fields.append(fieldAt: index, of: head.fields)
        }
        return ResponseHead(status: 101, fields: fields)
    }

    /// The trailer fields that are passed on: none that frame, route or describe a message (RFC 9110 §6.5.1), and so
    /// none whose name means something to the gateway.
    static func trailers(_ fields: FieldList) -> FieldList {
        guard fields.count > 0 else { return fields }
        var passed = FieldList()
        for index in 0..<fields.count where fields.knownName(at: index) == .other {
            passed.append(fieldAt: index, of: fields)
        }
        return passed
    }

    /// How the body's end is told to the client.
    static func length(_ framing: ResponseFraming, _ head: ResponseHead) -> BodyLength {
        switch framing {
        case .none:
            .none(announced: head.fields.first(.contentLength).flatMap { ContentLength.parse($0) })
        case .length(let length): .known(length)
        case .chunked, .untilClose: .unknown
        }
    }
}

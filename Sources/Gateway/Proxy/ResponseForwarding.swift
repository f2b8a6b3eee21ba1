import HTTPServer
import HTTPTypes

/// Makes the head that the client gets out of an instance's. Pure.
enum ResponseForwarding {
    private static let challenge = Array("www-authenticate".utf8)
    private static let basic = Array("basic".utf8)
    private static let html = Array("text/html".utf8)

    /// Whether it wants other credentials than the request's, as OpenCode does before it looks at anything else of a request: by
    /// a challenge of the scheme `Basic` (RFC 7617 §2), alone or among others (RFC 9110 §11.6.1). One of another scheme only comes
    /// from what OpenCode itself has asked, such as a model's provider.
    static func refusesCredentials(_ head: borrowing ResponseHead) -> Bool {
        guard head.status == 401 else { return false }
        return (0..<head.fields.count).contains { index in
            head.fields.name(at: index).lazy.map(\.lowercasedLetter).elementsEqual(challenge)
                && offersBasic(head.fields.value(at: index))
        }
    }

    private static func offersBasic(_ challenges: ArraySlice<UInt8>) -> Bool {
        var isQuoted = false
        for element in ListElements(challenges) {
            // A comma within a parameter's text begins no challenge (RFC 9110 §5.6.4).
            if !isQuoted, isBasic(element) { return true }
            var isEscaped = false
            for byte in element {
                if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
                isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            }
        }
        return false
    }

    /// Whether an element of a list of challenges begins one of the scheme `Basic`: the scheme stands alone or before a space.
    private static func isBasic(_ element: ArraySlice<UInt8>) -> Bool {
        guard element.startsIgnoringCase(basic) else { return false }
        return element.dropFirst(basic.count).first?.isOptionalWhiteSpace ?? true
    }

    /// Whether it is a page of HTML: OpenCode 2 gives one for whatever is not its API's.
    static func isWebPage(_ head: borrowing ResponseHead) -> Bool {
        guard let index = head.fields.firstIndex(of: .contentType) else { return false }
        return head.fields.value(at: index).startsIgnoringCase(html)
    }

    /// The client's head: hop-by-hop fields and the framing are left out, which the connection to the client makes
    /// anew. What an instance says of web pages that may read its answers is replaced by `terms`, the gateway's own;
    /// only which fields they may read is its to say. `references` is asked for where some may name the instance.
    static func head(
        _ received: consuming ResponseHead, _ terms: CrossOriginTerms? = nil,
        references: () -> InstanceReferences? = { nil }
    ) -> ResponseHead {
        var head = received
        var hasReference = false
        let isStream = head.isEventStream
        let hopByHop = HopByHop(head.fields)
        head.fields.keep { field, spelling in
            switch field {
            case .contentLength: return false
            // A stream's own words about caching are replaced, not doubled.
            case .cacheControl where isStream, .accelBuffering where isStream: return false
            case .accessControlExposeHeaders where terms?.isGranted == true: break
            case .link, .location: hasReference = true
            case _ where field.grantsCrossOrigin: return false
            default: break
            }
            return !hopByHop.holdsBack(field, spelling)
        }
        if isStream { head.fields.appendStreamDirectives() }
        if hasReference, let references = references() { head.fields = references.replaced(in: head.fields) }
        if let more = terms?.fields {
            // An instance that has said so already is not repeated.
            let variesByOrigin = head.fields.contains(.origin, in: .vary)
            head.fields.append(fieldsOf: more) { field, _ in field != .vary || !variesByOrigin }
        }
        return head
    }

    /// The head of a 101, whose Upgrade field must reach the client.
    static func upgradeHead(_ head: ResponseHead) -> ResponseHead {
        var fields = head.fields
        let hopByHop = HopByHop(fields)
        fields.keep { field, spelling in
            if field == .contentLength || field.grantsCrossOrigin { return false }
            return field == .upgrade || !hopByHop.holdsBack(field, spelling)
        }
        return ResponseHead(status: 101, fields: fields)
    }

    /// The trailer fields that are passed on: none that frame, route or describe a message (RFC 9110 §6.5.1), and so
    /// none whose name means something to the gateway.
    static func trailers(_ fields: FieldList) -> FieldList {
        guard fields.count > 0 else { return fields }
        var passed = fields
        passed.keep { field, _ in field == .other }
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

extension FieldList {
    /// What every event stream says: no proxy in between may hold events back or change them (nginx's own field, RFC 9111
    /// §5.2.2.6).
    mutating func appendStreamDirectives() {
        append("Cache-Control", "no-cache, no-transform")
        append("X-Accel-Buffering", "no")
    }
}

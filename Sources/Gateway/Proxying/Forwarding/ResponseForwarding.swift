// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPServer
package import HTTPTypes

/// The conversion of an instance's head into the head for the client.
package enum ResponseForwarding {
    private static let challenge = Array("www-authenticate".utf8)
    private static let basic = Array("basic".utf8)

    /// Returns whether the response rejects the request's credentials. OpenCode checks them before anything else,
    /// and rejects them with a challenge of the scheme `Basic` (RFC 7617 §2), possibly among other challenges (RFC
    /// 9110 §11.6.1). A challenge that contains only other schemes comes from a server that OpenCode has called,
    /// such as a model's provider.
    package static func refusesCredentials(_ head: borrowing ResponseHead) -> Bool {
        guard head.status == 401 else { return false }
        return (0..<head.fields.count).contains { index in
            head.fields.name(at: index).lazy.map(\.lowercasedLetter).elementsEqual(challenge)
                && offersBasic(head.fields.value(at: index))
        }
    }

    private static func offersBasic(_ challenges: ArraySlice<UInt8>) -> Bool {
        var isQuoted = false
        for element in ListElements(challenges) {
            // A comma within a quoted parameter does not begin a challenge (RFC 9110 §5.6.4).
            if !isQuoted, isBasic(element) { return true }
            var isEscaped = false
            for byte in element {
                if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
                isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            }
        }
        return false
    }

    /// Returns whether an element of a list of challenges begins a challenge of the scheme `Basic`. The scheme is the
    /// whole element or is followed by a space.
    private static func isBasic(_ element: ArraySlice<UInt8>) -> Bool {
        guard element.startsIgnoringCase(basic) else { return false }
        return element.dropFirst(basic.count).first?.isOptionalWhiteSpace ?? true
    }

    /// Returns the head for the client. Drops hop-by-hop fields and the framing, because the client's connection has
    /// its own fields and framing.
    ///
    /// - Parameters:
    ///   - terms: The cross-origin terms, whose fields replace the instance's fields except for the
    ///     list of readable fields.
    ///   - references: Called only if a field may contain the instance's address.
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
            // `appendStreamDirectives` adds these fields below, so remove the instance's fields.
            case .cacheControl where isStream, .accelBuffering where isStream: return false
            case .accessControlExposeHeaders where terms?.isGranted == true: break
            case .link, .location: hasReference = true
            case _ where field.grantsCrossOrigin: return false
            default: break
            }
            return !hopByHop.removes(field, spelling)
        }
        head.fields.removeSessionCookies()
        if isStream { head.fields.appendStreamDirectives() }
        if hasReference, let references = references() { head.fields = references.replaced(in: head.fields) }
        if let more = terms?.fields {
            // If the instance has sent `Vary: Origin`, do not repeat it.
            let variesByOrigin = head.fields.contains(.origin, in: .vary)
            head.fields.append(fieldsOf: more) { field, _ in field != .vary || !variesByOrigin }
        }
        return head
    }

    /// Returns the head of a 101, whose Upgrade field must reach the client.
    static func upgradeHead(_ head: ResponseHead) -> ResponseHead {
        var fields = head.fields
        let hopByHop = HopByHop(fields)
        fields.keep { field, spelling in
            if field == .contentLength || field.grantsCrossOrigin { return false }
            return field == .upgrade || !hopByHop.removes(field, spelling)
        }
        fields.removeSessionCookies()
        return ResponseHead(status: 101, fields: fields)
    }

    /// Returns the trailer fields to forward. Excludes all fields that frame, route or describe a message (RFC 9110
    /// §6.5.1), and therefore all names that have a meaning for the gateway.
    static func trailers(_ fields: FieldList) -> FieldList {
        guard fields.count > 0 else { return fields }
        var passed = fields
        passed.keep { field, _ in field == .other }
        return passed
    }

    /// Returns the framing of the body for the client.
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
    /// Removes the fields with which an instance sets the cookie of the gateway's sessions.
    fileprivate mutating func removeSessionCookies() {
        guard firstIndex(of: .setCookie) != nil else { return }
        let received = self
        var index = 0
        keep { name, _ in
            defer { index += 1 }
            return name != .setCookie || !received.withValue(at: index) { SessionCookie.isSet(by: $0) }
        }
    }

    /// Appends the fields of every event stream. They prevent intermediaries from delaying events (`X-Accel-Buffering`,
    /// a field of nginx) and from changing them (`no-transform`, RFC 9111 §5.2.2.6).
    package mutating func appendStreamDirectives() {
        append("Cache-Control", "no-cache, no-transform")
        append("X-Accel-Buffering", "no")
    }
}

// SPDX-License-Identifier: Apache-2.0

import GatewayCore
package import HTTPTypes
import WebSockets

/// The conversion of a client's fields into the fields for an instance.
package enum RequestForwarding {
    /// The gateway's element of `Via` (RFC 9110 §7.6.3): the protocol version of the received message,
    /// and the gateway's pseudonym.
    private static let via = (
        http10: Array("1.0 viberemote-gateway".utf8), http11: Array("1.1 viberemote-gateway".utf8)
    )

    private enum Name {
        static let authorization = KnownName(.authorization, "Authorization")
        static let forwardedFor = KnownName(.forwardedFor, "X-Forwarded-For")
        static let forwardedProto = KnownName(.forwardedProto, "X-Forwarded-Proto")
        static let forwardedHost = KnownName(.forwardedHost, "X-Forwarded-Host")
        static let via = KnownName(.via, "Via")
    }

    private static let http = KnownLine(Name.forwardedProto, "http")

    /// Returns the fields for the instance.
    ///
    /// The result preserves order, spelling and duplicates. The instance's credentials replace the client's key.
    /// The gateway appends its own element to the forwarding fields of a trusted proxy, and drops the forwarding
    /// fields of other peers.
    ///
    /// - Parameter memory: Provides the storage for the result. The method ignores the content of `memory`.
    package static func fields(
        of head: RequestHead, from peer: [UInt8], isTrusted: Bool, authorization: [UInt8]?, isUpgrade: Bool,
        in memory: consuming FieldList = FieldList()
    ) -> FieldList {
        let received = head.fields
        var fields = memory
        fields.makeRoom(fields: received.count + 6, bytes: received.byteCount + 320)
        let hopByHop = HopByHop(received)
        let hasSession = head.mayHave(.cookie) && SessionCookie.isPresent(in: received)
        fields.append(fieldsOf: received) { field, spelling in
            !isDropped(field, isTrusted) && !hopByHop.removes(field, spelling) && !(hasSession && field == .cookie)
        }
        if isUpgrade {
            // Offer only WebSocket to the instance, even if the client has offered other protocols.
            fields.append("Connection", "Upgrade")
            fields.append("Upgrade", "websocket")
        }
        if let authorization { fields.append(Name.authorization, authorization.span) }
        if isTrusted {
            fields.append(Name.forwardedFor, continuing: received, with: peer)
        } else {
            fields.append(Name.forwardedFor, peer.span)
        }
        if hasSession { appendCookies(to: &fields, received) }
        if head.mayHave(.webSocketProtocol) { appendSubprotocols(to: &fields, received) }
        appendScheme(to: &fields, received, isTrusted)
        appendHost(to: &fields, received, isTrusted)
        fields.append(Name.via, continuing: received, with: head.version == .http10 ? via.http10 : via.http11)
        return fields
    }

    private static func appendScheme(to fields: inout FieldList, _ received: FieldList, _ isTrusted: Bool) {
        if isTrusted,
            received.withFirst(.forwardedProto, { fields.append(Name.forwardedProto, $0) }) != nil
        {
            return
        }
        fields.append(http)
    }

    private static func appendHost(to fields: inout FieldList, _ received: FieldList, _ isTrusted: Bool) {
        if isTrusted,
            received.withFirst(.forwardedHost, { fields.append(Name.forwardedHost, $0) }) != nil
        {
            return
        }
        received.withFirst(.host) { fields.append(Name.forwardedHost, $0) }
    }

    /// Adds the subprotocols that the client offers, except those that can carry a key of the gateway (`vibe.KEY`).
    private static func appendSubprotocols(to fields: inout FieldList, _ received: FieldList) {
        for index in 0..<received.count where received.knownName(at: index) == .webSocketProtocol {
            let kept = ListElements(received.value(at: index)).filter {
                !$0.startsIgnoringCase(OpeningHandshake.keyPrefix)
            }
            guard !kept.isEmpty else { continue }
            fields.append(
                name: Array(received.name(at: index)), value: Array(kept.joined(separator: Array(", ".utf8)))[...])
        }
    }

    /// Adds the client's cookies, except the cookie of the gateway's session.
    private static func appendCookies(to fields: inout FieldList, _ received: FieldList) {
        for index in 0..<received.count where received.knownName(at: index) == .cookie {
            guard let kept = SessionCookie.removed(from: received.value(at: index)) else { continue }
            fields.append(name: Array(received.name(at: index)), value: kept[...])
        }
    }

    /// Returns whether the client requests a switch to WebSocket: `Upgrade` with the `upgrade` option of `Connection`,
    /// in HTTP/1.1 (RFC 9110 §7.8, RFC 6455 §4.1). The gateway does not forward other protocols, because `h2c` would
    /// carry requests past every check.
    static func wantsUpgrade(_ head: RequestHead) -> Bool {
        guard head.version == .http11, head.mayHave(.upgrade) else { return false }
        return head.fields.contains(.webSocket, in: .upgrade) && head.fields.contains(.upgrade, in: .connection)
    }

    private static let lastEventID = Array("last-event-id".utf8)

    /// Returns the fields without `Last-Event-ID`, which only the gateway understands if the hub is on.
    package static func withoutLastEventID(_ fields: FieldList) -> FieldList {
        let name = lastEventID
        var kept = fields
        kept.keep { _, spelling in !spelling.equalsIgnoringCase(name.span) }
        return kept
    }

    /// Returns whether to drop a field because the exchange (framing, Host) or the gateway
    /// (credentials, forwarding) replaces it.
    private static func isDropped(_ field: FieldName, _ isTrusted: Bool) -> Bool {
        switch field {
        case .authorization, .contentLength, .expect, .host, .via, .forwardedFor, .forwardedHost,
            .forwardedProto,
            .webSocketProtocol:
            true
        case .forwarded, .forwardedOther, .realAddress: !isTrusted
        default: false
        }
    }
}

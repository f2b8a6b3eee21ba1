import HTTPTypes

/// Makes the fields that an instance gets out of those that the client has sent. Pure.
enum RequestForwarding {
    /// The gateway's own element of `Via` (RFC 9110 §7.6.3): the version it was spoken to in, and its pseudonym.
    private static let via = (
        http10: Array("1.0 viberemote-gateway".utf8), http11: Array("1.1 viberemote-gateway".utf8)
    )

    private enum Name {
        static let authorization = Array("Authorization".utf8)
        static let forwardedFor = Array("X-Forwarded-For".utf8)
        static let forwardedProto = Array("X-Forwarded-Proto".utf8)
        static let forwardedHost = Array("X-Forwarded-Host".utf8)
        static let via = Array("Via".utf8)
    }

    private static let http = Array("http".utf8)

    /// The instance's fields.
    ///
    /// Order, spelling and duplicates stay. The client's key is dropped and the instance's own credentials are added.
    /// Forwarding fields of the client are continued, not believed: the gateway adds what it sees itself at the end.
    static func fields(
        of head: RequestHead, from peer: [UInt8], authorization: [UInt8]?, isUpgrade: Bool
    ) -> FieldList {
        let received = head.fields
        var fields = FieldList(fields: received.count + 6, bytes: received.byteCount + 320)
        let hopByHop = HopByHop(received)
        for index in 0..<received.count where !isDropped(received, at: index) && !hopByHop.holdsBack(at: index) {
            fields.append(fieldAt: index, of: received)
        }
        if isUpgrade {
            // WebSocket alone, whatever else the client has offered beside it.
            fields.append("Connection", "Upgrade")
            fields.append("Upgrade", "websocket")
        }
        if let authorization { fields.append(name: Name.authorization, value: authorization[...]) }
        fields.append(name: Name.forwardedFor, continuing: received, .forwardedFor, with: peer)
        fields.append(name: Name.forwardedProto, value: received.first(.forwardedProto) ?? http[...])
        if let host = received.first(.forwardedHost) ?? received.first(.host) {
            fields.append(name: Name.forwardedHost, value: host)
        }
        fields.append(
            name: Name.via, continuing: received, .via, with: head.version == .http10 ? via.http10 : via.http11)
        return fields
    }

    /// Whether the client asks to switch to WebSocket: `Upgrade` with the `upgrade` option of `Connection`, in
    /// HTTP/1.1 (RFC 9110 §7.8, RFC 6455 §4.1). Another protocol is not passed on: `h2c` would carry requests past
    /// every check.
    static func wantsUpgrade(_ head: RequestHead) -> Bool {
        head.version == .http11 && head.fields.contains(.webSocket, in: .upgrade)
            && head.fields.contains(.upgrade, in: .connection)
    }

    /// Fields that are made anew: by the exchange (framing, Host), by the gateway (credentials, forwarding).
    private static func isDropped(_ fields: FieldList, at index: Int) -> Bool {
        switch fields.knownName(at: index) {
        case .authorization, .contentLength, .expect, .host, .via, .forwardedFor, .forwardedHost, .forwardedProto: true
        default: false
        }
    }
}

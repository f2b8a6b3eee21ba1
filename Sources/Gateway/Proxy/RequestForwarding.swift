import HTTPTypes

/// Makes the fields that an instance gets out of those that the client has sent. Pure.
enum RequestForwarding {
    /// The name under which the gateway puts itself into `Via` (RFC 9110 §7.6.3).
    static let pseudonym = "viberemote-gateway"

    private static let dropped: [FieldName] = [
        .host, .authorization, .contentLength, .expect, .forwardedFor, .forwardedHost, .forwardedProto, .via,
    ]
    private static let droppedInitials = Set(dropped.compactMap(\.lowercased.first))

    /// The instance's fields.
    ///
    /// Order, spelling and duplicates stay. The client's key is dropped and the instance's own credentials are added. Forwarding
    /// fields of the client are continued, not believed: the gateway adds what it sees itself at the end.
    static func fields(
        of head: RequestHead, from peer: String, authorization: [UInt8]?, isUpgrade: Bool
    ) -> FieldList {
        var fields = FieldList()
        let hopByHop = HopByHop(head.fields)
        for index in 0..<head.fields.count where !isDropped(head.fields, at: index) {
            if hopByHop.holdsBack(head.fields, at: index) { continue }
            fields.append(fieldAt: index, of: head.fields)
        }
        if isUpgrade, let upgrade = head.fields.first(.upgrade) {
            fields.append("Connection", "Upgrade")
            fields.append(name: "Upgrade".utf8, value: upgrade)
        }
        if let authorization { fields.append(name: "Authorization".utf8, value: authorization) }
        append("X-Forwarded-For", continuing: .forwardedFor, peer, of: head, to: &fields)
        if let proto = head.fields.first(.forwardedProto) {
            fields.append(name: "X-Forwarded-Proto".utf8, value: proto)
        } else {
            fields.append("X-Forwarded-Proto", "http")
        }
        if let host = head.fields.first(.forwardedHost) ?? head.fields.first(.host) {
            fields.append(name: "X-Forwarded-Host".utf8, value: host)
        }
        let version = head.version == .http10 ? "1.0" : "1.1"
        append("Via", continuing: .via, "\(version) \(pseudonym)", of: head, to: &fields)
        return fields
    }

    /// Whether the client asks to switch protocols: `Upgrade` with the `upgrade` option of `Connection`, in HTTP/1.1 (RFC 9110 §7.8).
    static func wantsUpgrade(_ head: RequestHead) -> Bool {
        head.version == .http11 && head.fields.firstIndex(of: .upgrade) != nil
            && head.fields.contains(token: .upgrade, in: .connection)
    }

    private static func isDropped(_ fields: FieldList, at index: Int) -> Bool {
        guard let initial = fields.name(at: index).first?.lowercasedLetter, droppedInitials.contains(initial) else {
            return false
        }
        return dropped.contains { fields.isName(at: index, $0) }
    }

    /// Adds a list field with the client's elements first and the gateway's own last.
    private static func append(
        _ name: String, continuing field: FieldName, _ own: String, of head: RequestHead, to fields: inout FieldList
    ) {
        var value: [UInt8] = []
        var start = 0
        while let index = head.fields.firstIndex(of: field, from: start) {
            value.append(contentsOf: head.fields.value(at: index))
            value.append(contentsOf: ", ".utf8)
            start = index + 1
        }
        value.append(contentsOf: own.utf8)
        fields.append(name: name.utf8, value: value)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTPServer
import HTTPTypes

/// The rule for requests without a key to an open listener (`--chat-open`). The rule admits programs on this machine,
/// and connections that another program forwards to the machine's loopback address. The rule performs no I/O.
///
/// A chat can do everything that a shell can do, so a web page of another origin must not reach the chat. The request's
/// `Origin` field names the page's origin. If there is no `Origin`, `Sec-Fetch-Site` describes the source. A page could
/// also use a name that resolves to this machine, but `Host` would then contain this name, and the rule rejects the
/// request. A request from a reverse proxy does not show who the proxy's client is, and some proxies do not identify
/// themselves. The loop therefore also queries the kernel for the user at the other end of the connection.
enum OpenRule {
    /// The decision about a request without a key.
    enum Verdict: Equatable {
        /// The request is admitted without a key.
        case admitted
        /// The request needs a key, as at any other listener.
        case needsKey
        /// The request is rejected (403) for this reason.
        case refused(String)
    }

    static func judge(_ head: RequestHead) -> Verdict {
        let fields = head.fields
        if fields.firstIndex(of: .forwarded) != nil || fields.firstIndex(of: .forwardedFor) != nil { return .needsKey }
        // Accept only a path as the target, because all clients send a path. A host in the target would override the
        // Host field (RFC 9112 §3.2.2).
        guard head.target.first == UInt8(ascii: "/"), let index = fields.onlyIndex(of: .host),
            isLoopback(fields.value(at: index))
        else {
            return .refused(
                "Requests without a key are accepted only from this machine, and only with the host name localhost, 127.0.0.1 or [::1]. Send a key."
            )
        }
        guard isSameOrigin(fields, fields.value(at: index)) else {
            return .refused("Requests without a key are not accepted from web pages of another origin. Send a key.")
        }
        // A browser sends this Fetch Metadata field even if it sends no Origin, such as with a request for an image.
        guard isSameSite(fields) else {
            return .refused("Requests without a key are not accepted from web pages of another origin. Send a key.")
        }
        return .admitted
    }

    /// Returns whether a client that runs as this user needs no key. Only the gateway's own user and root need no key.
    ///
    /// - Parameter user: The user id; nil if the kernel reports none.
    static func admits(user: UInt32?, gateway: UInt32) -> Bool { user == 0 || user == gateway }

    /// The refusal of a client that runs as another user.
    static var foreignUser: GatewayError {
        GatewayError(
            403,
            "Requests without a key are accepted only from programs of the gateway's own user and of root on this machine. Send a key."
        )
    }

    /// Returns whether a Host field's value is a loopback address or `localhost`, with or without a port.
    private static func isLoopback(_ value: ArraySlice<UInt8>) -> Bool {
        if value.first == UInt8(ascii: "[") {
            guard let end = value.firstIndex(of: UInt8(ascii: "]")) else { return false }
            return IPAddress(Array(value[(value.startIndex + 1)..<end]))?.isLoopback == true
        }
        let name = value.prefix { $0 != UInt8(ascii: ":") }
        return name.equalsIgnoringCase(Array("localhost".utf8)) || IPAddress(Array(name))?.isLoopback == true
    }

    /// Returns whether the Sec-Fetch-Site field is missing, or states that the request comes from this server's own
    /// pages or from the user (Fetch Metadata §2.4).
    private static func isSameSite(_ fields: FieldList) -> Bool {
        let values = fields.values(named: Array("sec-fetch-site".utf8))
        guard let value = values.first else { return true }
        return values.count == 1 && (value.elementsEqual("same-origin".utf8) || value.elementsEqual("none".utf8))
    }

    /// Returns whether the Origin field is missing or names this server. Programs other than browsers send no Origin.
    private static func isSameOrigin(_ fields: FieldList, _ host: ArraySlice<UInt8>) -> Bool {
        guard fields.firstIndex(of: .origin) != nil else { return true }
        guard let index = fields.onlyIndex(of: .origin) else { return false }
        let origin = fields.value(at: index)
        return ["http://", "ws://", "https://", "wss://"].contains { scheme in
            origin.startsIgnoringCase(Array(scheme.utf8))
                && origin.dropFirst(scheme.utf8.count).equalsIgnoringCase(host)
        }
    }
}

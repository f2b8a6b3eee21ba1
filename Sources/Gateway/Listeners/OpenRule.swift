import Addresses
import HTTPServer
import HTTPTypes

/// Who is let in without a key by an open entrance (`--chat-open`): programs on this machine, and what is forwarded to its
/// loopback address. Pure.
///
/// A chat can do what a shell can. So no web page of elsewhere may reach it, neither directly (its `Origin` says where it is
/// from, and so does `Sec-Fetch-Site` where the request has none) nor by a name that it makes resolve to this machine (then
/// `Host` is that name); and who stands behind a reverse proxy can be anybody. A proxy need not say that it is one, so the
/// kernel is asked for the user at the other end of the connection as well.
enum OpenRule {
    /// What becomes of a request without a key.
    enum Verdict: Equatable {
        /// It is let in.
        case letIn
        /// It has to bring a key, as at any other entrance.
        case needsKey
        /// It is refused (403), for this reason.
        case refused(String)
    }

    static func judge(_ head: RequestHead) -> Verdict {
        let fields = head.fields
        if fields.firstIndex(of: .forwarded) != nil || fields.firstIndex(of: .forwardedFor) != nil { return .needsKey }
        // Of a target with a host of its own that one would count (RFC 9112 §3.2.2): no client sends that here.
        guard head.target.first == UInt8(ascii: "/"), let index = fields.onlyIndex(of: .host),
            isLoopback(fields.value(at: index))
        else {
            return .refused(
                "Without a key this is for programs on this machine, which name it localhost, 127.0.0.1 or [::1]. Send a key."
            )
        }
        guard isOwn(fields, fields.value(at: index)) else {
            return .refused("Without a key this is not for web pages of another origin. Send a key.")
        }
        // Fetch Metadata: a browser sends it with each request, also where there is no Origin, such as for an image.
        guard isOwnSite(fields) else {
            return .refused("Without a key this is not for web pages of another origin. Send a key.")
        }
        return .letIn
    }

    /// Whether a client of this user needs no key: the gateway's own user and root. `user`: nil where the kernel reports none.
    static func admits(user: UInt32?, gateway: UInt32) -> Bool { user == 0 || user == gateway }

    /// The refusal of another user.
    static var foreignUser: Answer {
        .detail(
            403,
            "Without a key only programs of the gateway's own user and of root on this machine are let in. Send a key.")
    }

    /// Whether a Host field's value is a loopback address or `localhost`, with or without a port.
    private static func isLoopback(_ value: ArraySlice<UInt8>) -> Bool {
        if value.first == UInt8(ascii: "[") {
            guard let end = value.firstIndex(of: UInt8(ascii: "]")) else { return false }
            return IPAddress(Array(value[(value.startIndex + 1)..<end]))?.isLoopback == true
        }
        let name = value.prefix { $0 != UInt8(ascii: ":") }
        return name.equalsIgnoringCase(Array("localhost".utf8)) || IPAddress(Array(name))?.isLoopback == true
    }

    /// Whether there is no Sec-Fetch-Site field, or one of this very server's pages or of the user (Fetch Metadata §2.4).
    private static func isOwnSite(_ fields: FieldList) -> Bool {
        let indices = (0..<fields.count).filter {
            fields.name(at: $0).equalsIgnoringCase(Array("sec-fetch-site".utf8))
        }
        guard let index = indices.first else { return true }
        let value = fields.value(at: index)
        return indices.count == 1 && (value.elementsEqual("same-origin".utf8) || value.elementsEqual("none".utf8))
    }

    /// Whether there is no Origin field, or one that names this very server: programs that are no browsers send that.
    private static func isOwn(_ fields: FieldList, _ host: ArraySlice<UInt8>) -> Bool {
        guard fields.firstIndex(of: .origin) != nil else { return true }
        guard let index = fields.onlyIndex(of: .origin) else { return false }
        let origin = fields.value(at: index)
        return ["http://", "ws://", "https://", "wss://"].contains { scheme in
            origin.startsIgnoringCase(Array(scheme.utf8))
                && origin.dropFirst(scheme.utf8.count).equalsIgnoringCase(host)
        }
    }
}

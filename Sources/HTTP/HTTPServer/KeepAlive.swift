// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPTypes

/// The properties of a client that survive when its socket changes owners.
struct Client {
    /// The client's address, without the port.
    var peer = ""
    /// The client's address as a number; nil where it has none.
    var address: IPAddress?
    var account = SocketAccount()
    var context: (any ConnectionContext)?
    /// Whether it has received a response on this connection.
    var isKept = false
    /// Whether a valid key was seen on this connection.
    var isVouched = false
    /// The number of the listener that it connected to.
    var entrance: UInt8 = 0
}

extension Client {
    /// Creates the client that has connected from this address to the listener with the number `entrance`.
    init(_ address: SocketAddress, entrance: UInt8) {
        // A listener on IPv6 also accepts IPv4 clients, and reports their addresses as mapped ones.
        self.address = address.ipv6.map { IPAddress(ipv6: $0) }
        // Only getnameinfo(3) shows the zone of an IPv6 address, and it takes five times as long.
        peer = if let ip = self.address, ip.isIPv4 { ip.description } else { address.host }
        self.entrance = entrance
    }

    /// Creates the client of a connection whose socket is taken.
    init(of connection: ClientConnection) {
        peer = connection.peer
        address = connection.peerAddress
        account = connection.account
        context = connection.context
        isKept = true
        isVouched = connection.isVouched
        entrance = connection.entrance
    }
}

/// The number of a socket's bytes that its requests account for.
///
/// libmicrohttpd reads as much as it gets and does not expose its buffer. Whether it has read beyond a request is known
/// only from the kernel, which counts the bytes read (``Socket/bytesRead``). If the requests account for all of them,
/// the next byte of the socket is the first of the next request. A count that is too small makes the connection end; it
/// never continues wrongly.
struct SocketAccount: Equatable {
    /// The number of bytes, or nil where it is unknown.
    private(set) var taken: UInt64? = 0

    /// Adds a request that has arrived completely, with the size of its head on the wire in bytes. The size of a
    /// chunked body on the wire is unknown. Empty lines before a request are not counted.
    mutating func took(head: Int, _ framing: RequestFraming) {
        switch framing {
        case .none: add(UInt64(head))
        case .length(let length): add(UInt64(head) + length)
        case .chunked: taken = nil
        }
    }

    private mutating func add(_ count: UInt64) {
        if let sum = taken { taken = sum &+ count }
    }

    /// Returns whether nothing after the last request has been read; false where that is unknown.
    func isEven(with read: UInt64?) -> Bool { read != nil && read == taken }
}

/// How a client's connection continues after a response that was sent on the socket itself.
enum AnswerEnd: Equatable {
    /// The connection is returned to libmicrohttpd for the next request.
    case handsBack
    /// The connection ends, and the head announces it.
    case announced
    /// The connection ends, and the head does not announce it. The fetch of Node 20 and 22 (undici 6) accepts a body
    /// without its last chunk as complete where the head has `Connection: close`. So a body of unknown length does not
    /// announce it where another request might have followed.
    case unannounced

    /// Returns how the connection continues. `isLastRequest`: no other request may follow. `isReadEven`: nothing after
    /// the request has been read.
    static func of(_ length: BodyLength, isEventStream: Bool, isLastRequest: Bool, isReadEven: Bool) -> AnswerEnd {
        if isLastRequest { return .announced }
        if isReadEven { return .handsBack }
        return switch length {
        case .unknown: .unannounced
        case .known: isEventStream ? .unannounced : .announced
        case .none: .announced
        }
    }
}

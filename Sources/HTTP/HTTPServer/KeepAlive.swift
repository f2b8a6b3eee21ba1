// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPTypes

/// The properties of a client that are preserved when its socket changes owners.
struct Client {
    /// The client's address, without the port.
    var peer = ""
    /// The client's address as a number; nil if it has none.
    var address: IPAddress?
    var account = SocketAccount()
    var context: (any ConnectionContext)?
    /// Whether the client has received a response on this connection.
    var isKept = false
    /// Whether the client has presented a valid key on this connection.
    var isVouched = false
    /// The number of the listener to which the client connected.
    var listenerNumber: UInt8 = 0
}

extension Client {
    /// Creates the client that has connected from this address to the listener with the number `listenerNumber`.
    init(_ address: SocketAddress, listenerNumber: UInt8) {
        // Convert the address from its IPv6 form, because a listener on IPv6 also accepts IPv4 clients and reports
        // their addresses in mapped form.
        self.address = address.ipv6.map { IPAddress(ipv6: $0) }
        // Only getnameinfo(3) returns the zone of an IPv6 address. The call takes five times as long, so use it only
        // for IPv6.
        peer = if let ip = self.address, ip.isIPv4 { ip.description } else { address.host }
        self.listenerNumber = listenerNumber
    }

    /// Creates the client of a connection whose socket is detached from libmicrohttpd.
    init(of connection: ClientConnection) {
        peer = connection.peer
        address = connection.peerAddress
        account = connection.account
        context = connection.context
        isKept = true
        isVouched = connection.isVouched
        listenerNumber = connection.listenerNumber
    }
}

/// Counts how many of the bytes read from a socket belong to requests.
///
/// libmicrohttpd reads as many bytes as are available and does not expose its buffer. Only the kernel's count of the
/// bytes read (``Socket/bytesRead``) shows whether libmicrohttpd has read beyond a request. If the requests account for
/// all bytes, the next byte of the socket is the first byte of the next request. If the count is too small, the
/// connection ends. The server therefore never begins a request at a wrong byte.
struct SocketAccount: Equatable {
    /// The number of bytes; nil if it is unknown.
    private(set) var counted: UInt64? = 0

    /// Adds a request that has been received completely. Empty lines before a request are not counted.
    ///
    /// - Parameters:
    ///   - head: The size of the request's head on the wire, in bytes.
    ///   - framing: The framing of the body. The size of a chunked body on the wire is unknown.
    mutating func countRequest(head: Int, _ framing: RequestFraming) {
        switch framing {
        case .none: add(UInt64(head))
        case .length(let length): add(UInt64(head) + length)
        case .chunked: counted = nil
        }
    }

    private mutating func add(_ count: UInt64) {
        if let sum = counted { counted = sum &+ count }
    }

    /// Returns whether the bytes read end with the last request; false if one of the two numbers is unknown.
    func isEven(with read: UInt64?) -> Bool { read != nil && read == counted }
}

/// The continuation of a client's connection after a response that was sent directly on the socket.
enum AnswerEnd: Equatable {
    /// The connection is returned to libmicrohttpd for the next request.
    case reused
    /// The connection ends. The head announces this.
    case announced
    /// The connection ends, but the head does not announce this. The `fetch` function of Node 20 and 22 (undici 6)
    /// accepts a body without its last chunk as complete if the head has `Connection: close`. A response with a body of
    /// unknown length therefore does not announce the end of the connection if another request could have followed.
    case unannounced

    /// Returns the continuation of the connection.
    ///
    /// - Parameters:
    ///   - length: The framing of the response's body.
    ///   - isLastRequest: Whether no other request may follow.
    ///   - isReadEven: Whether the bytes read from the socket end with the request.
    static func of(_ length: BodyLength, isEventStream: Bool, isLastRequest: Bool, isReadEven: Bool) -> AnswerEnd {
        if isLastRequest { return .announced }
        if isReadEven { return .reused }
        return switch length {
        case .unknown: .unannounced
        case .known: isEventStream ? .unannounced : .announced
        case .none: .announced
        }
    }
}

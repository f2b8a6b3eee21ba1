import Addresses
import EventLoop
import HTTPTypes

/// What stays with a client while its socket changes hands.
struct Client {
    /// Its address, without the port.
    var peer = ""
    /// The same as a number; nil where it has none.
    var address: IPAddress?
    var account = SocketAccount()
    var context: (any ConnectionContext)?
    /// Whether it has had an answer on this connection.
    var isKept = false
    /// Whether a valid key was seen on this connection.
    var isVouched = false
    /// By which of the server's listeners it has come.
    var entrance: UInt8 = 0
}

extension Client {
    /// Who has come from this address to the listener with the number `entrance`.
    init(_ address: SocketAddress, entrance: UInt8) {
        // A listener on IPv6 takes IPv4 clients as well, and shows their addresses mapped.
        self.address = address.ipv6.map { IPAddress(ipv6: $0) }
        // Only getnameinfo(3) shows the zone of an IPv6 address, and it takes five times as long.
        peer = if let ip = self.address, ip.isIPv4 { ip.description } else { address.host }
        self.entrance = entrance
    }

    /// The client of a connection whose socket is taken.
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

/// What the requests of one socket have taken of the bytes that were read from it.
///
/// libmicrohttpd reads as much as it gets and shows nobody what it holds. Whether it has read on behind a request tells only
/// the kernel, which counts what was read (``Socket/bytesRead``): if that is what the requests have taken, the next byte of the
/// socket is the next request's first. A count that is too small makes the connection end, never go on wrongly.
struct SocketAccount: Equatable {
    /// Nil where that can't be known.
    private(set) var taken: UInt64? = 0

    /// A request has arrived to its end; the size of its head on the wire, in bytes. How long a chunked body stood on the wire
    /// nobody knows. Empty lines before a request are not counted.
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

    /// Whether nothing behind the last request has been read; false where that can't be known.
    func isEven(with read: UInt64?) -> Bool { read != nil && read == taken }
}

/// How a client's connection goes on behind an answer that is given on the socket itself.
enum AnswerEnd: Equatable {
    /// It is handed back to libmicrohttpd for the next request.
    case handsBack
    /// It ends, and the head says so.
    case announced
    /// It ends, and the head does not say so: the fetch of Node 20 and 22 (undici 6) takes a body of which the last chunk is
    /// missing for whole where the head has `Connection: close`. So a body whose end is open does not say it where another request
    /// might have followed.
    case unannounced

    /// `isLastRequest`: no other request may follow. `isReadEven`: nothing behind the request has been read.
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

package import HTTPTypes

/// A request to an instance on 127.0.0.1.
package struct UpstreamRequest {
    /// Where the body comes from.
    package enum Body {
        /// There is none, and no Content-Length is sent.
        case none
        /// It is whole; empty means Content-Length: 0.
        case whole([UInt8])
        /// It is handed over bit by bit by ``UpstreamExchange/upload(_:)``; without a length it is sent chunked.
        case streamed(length: UInt64?)
    }

    /// The instance's port.
    package var port: UInt16
    /// The method.
    package var method: Method
    /// The method's own spelling.
    package var methodName: String
    /// The request target in origin form, sent exactly so.
    package var target: ArraySlice<UInt8>
    /// All fields but Host, Content-Length, Transfer-Encoding and Expect, which the exchange makes itself.
    package var fields: FieldList
    /// The body.
    package var body: Body
    /// Whether a 101 may be the answer.
    package var mayUpgrade: Bool
    /// Whether it has a connection to itself, so that clients' requests find theirs as they left them.
    package var isAlone: Bool

    /// A request with these parts.
    package init(
        port: UInt16, method: Method, methodName: String, target: ArraySlice<UInt8>, fields: FieldList, body: Body,
        mayUpgrade: Bool = false, isAlone: Bool = false
    ) {
        self.port = port
        self.method = method
        self.methodName = methodName
        self.target = target
        self.fields = fields
        self.body = body
        self.mayUpgrade = mayUpgrade
        self.isAlone = isAlone
    }

    /// Whether the request can be sent again without harm: only then may it use a kept-alive connection.
    ///
    /// The instance may close a kept-alive connection at the moment in which the request is sent, and nobody can tell
    /// whether it was read. A request that is safe to repeat is sent once more then (RFC 9110 §9.2.2); any other, a
    /// prompt above all, goes out on a connection of its own, which costs 50 µs and cannot be stale.
    var mayBeRepeated: Bool {
        guard method.isIdempotent, !mayUpgrade, !isAlone else { return false }
        if case .streamed = body { return false }
        return true
    }
}

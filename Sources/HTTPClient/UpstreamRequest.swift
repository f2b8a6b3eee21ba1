package import Addresses
package import HTTPTypes

/// A request to an instance.
package struct UpstreamRequest {
    /// Where the body comes from.
    package enum Body {
        /// There is none, and no Content-Length is sent.
        case none
        /// It is whole; empty means Content-Length: 0.
        case whole([UInt8])
        /// It is handed over bit by bit by ``UpstreamTransfer/upload(_:)``; without a length it is sent chunked.
        case streamed(length: UInt64?)
    }

    /// Which connection may carry a request.
    package enum ConnectionChoice: Sendable, Equatable {
        /// Any that is kept alive: should it turn out to be closed, the request goes out once more, on a fresh one.
        case kept
        /// One that is kept alive and has just been used: the request goes out once, whatever becomes of it.
        case justUsed
        /// One that is opened for the request and ends with it.
        case own
    }

    /// Where the instance listens.
    package var instance: InstanceAddress
    /// The method.
    package var method: Method
    /// The method's own spelling.
    package var methodName: String
    /// The request target in origin form, sent exactly so.
    package var target: ArraySlice<UInt8>
    /// All fields but Host, Content-Length, Transfer-Encoding and Expect, which are made here.
    package var fields: FieldList
    /// The body.
    package var body: Body
    /// Whether a 101 may be the answer.
    package var mayUpgrade: Bool
    /// Whether it has a connection to itself, so that clients' requests find theirs as they left them.
    package var isAlone: Bool

    /// A request with these parts.
    package init(
        instance: InstanceAddress, method: Method, methodName: String, target: ArraySlice<UInt8>, fields: FieldList,
        body: Body, mayUpgrade: Bool = false, isAlone: Bool = false
    ) {
        self.instance = instance
        self.method = method
        self.methodName = methodName
        self.target = target
        self.fields = fields
        self.body = body
        self.mayUpgrade = mayUpgrade
        self.isAlone = isAlone
    }

    /// Which connection may carry the request.
    ///
    /// An instance may close a kept-alive connection at the moment in which a request is sent, and nobody can tell whether it was
    /// read. One that is safe to repeat is sent once more then (RFC 9110 §9.2.2). Any other, a prompt above all, is never sent
    /// twice: it uses only connections that no instance is about to close.
    package var connectionChoice: ConnectionChoice {
        if mayUpgrade || isAlone { return .own }
        return method.isIdempotent && !isStreamed ? .kept : .justUsed
    }

    /// Whether the body is handed over bit by bit.
    var isStreamed: Bool {
        if case .streamed = body { return true }
        return false
    }
}

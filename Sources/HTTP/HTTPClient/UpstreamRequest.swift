// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import HTTPTypes

/// A request to an instance, with its body or the promise of one.
package struct UpstreamRequest {
    /// The source of the body.
    package enum Body {
        /// There is none, and no Content-Length is sent.
        case none
        /// The body is complete; empty means Content-Length: 0.
        case whole([UInt8])
        /// The body is passed on in parts by ``UpstreamTransfer/upload(_:)``; without a length it is sent chunked.
        case streamed(length: UInt64?)
    }

    /// The kind of connection that may carry a request.
    package enum ConnectionChoice: Sendable, Equatable {
        /// Any kept-alive connection: if it turns out to be closed, the request is sent once more, on a new one.
        case kept
        /// A kept-alive connection that was used just before: the request is sent once, regardless of the result.
        case justUsed
        /// A connection that is opened for the request and ends with it.
        case own
    }

    /// The address on which the instance listens.
    package var instance: InstanceAddress
    /// The method, as an enumeration.
    package var method: Method
    /// The method as the client spelled it.
    package var methodName: String
    /// The request target in origin form, sent exactly so.
    package var target: ArraySlice<UInt8>
    /// All fields except Host, Content-Length, Transfer-Encoding and Expect, which are generated here.
    package var fields: FieldList
    /// The body, or how it will be passed on.
    package var body: Body
    /// Whether a 101 is a valid response.
    package var mayUpgrade: Bool
    /// Whether the request has a connection to itself, so that clients' requests find theirs unchanged.
    package var isAlone: Bool

    /// Creates a request from its parts.
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

    /// The kind of connection that may carry the request.
    ///
    /// An instance may close a kept-alive connection just when a request is sent, and it is then unknown whether the
    /// request was read. A request that is safe to repeat is sent once more in that case (RFC 9110 §9.2.2). Any other,
    /// a prompt above all, is never sent twice: it uses only connections that no instance is about to close.
    package var connectionChoice: ConnectionChoice {
        if mayUpgrade || isAlone { return .own }
        return method.isIdempotent && !isStreamed ? .kept : .justUsed
    }

    /// Whether the body is passed on in parts.
    var isStreamed: Bool {
        if case .streamed = body { return true }
        return false
    }
}

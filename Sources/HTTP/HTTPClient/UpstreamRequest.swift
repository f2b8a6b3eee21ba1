// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import HTTPTypes

/// A request to an instance, whose body is complete or follows later.
package struct UpstreamRequest {
    /// The source of the request's body.
    package enum Body {
        /// No body. No Content-Length is sent.
        case none
        /// A complete body. If it is empty, Content-Length is 0.
        case whole([UInt8])
        /// A body that ``UpstreamTransfer/upload(_:)`` passes on in parts. Without a length, the body is sent in the
        /// chunked coding.
        case streamed(length: UInt64?)
    }

    /// The kind of connection that may carry a request.
    package enum ConnectionChoice: Sendable, Equatable {
        /// Any kept-alive connection. If the connection turns out to be closed, the request is sent once more on a new
        /// connection.
        case kept
        /// A kept-alive connection that was used a moment ago. The request is sent once, regardless of the result.
        case justUsed
        /// A connection that is opened for the request and closed after it.
        case dedicated
    }

    /// The address on which the instance listens.
    package var instance: InstanceAddress
    /// The method as an enumeration case.
    package var method: Method
    /// The method as the client spelled it.
    package var methodName: String
    /// The request target in origin form, which is sent unchanged.
    package var target: ArraySlice<UInt8>
    /// All fields except Expect and those that ``UpstreamClient`` generates: Host, Content-Length and
    /// Transfer-Encoding.
    package var fields: FieldList
    /// The complete body, or the way in which it is passed on.
    package var body: Body
    /// Whether the instance may respond with 101 and switch protocols.
    package var mayUpgrade: Bool
    /// Whether the request uses a separate connection, so that it does not affect the kept-alive connections for
    /// clients' requests.
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
    /// An instance may close a kept-alive connection at the moment when a request is sent. In that case, the gateway
    /// does not know whether the instance read the request. The gateway then repeats a request once if repeating it is
    /// safe (RFC 9110 §9.2.2). Any other request, above all a prompt, is never sent twice. Such a request uses only
    /// connections that no instance is about to close.
    package var connectionChoice: ConnectionChoice {
        if mayUpgrade || isAlone { return .dedicated }
        return method.isIdempotent && !isStreamed ? .kept : .justUsed
    }

    /// Whether the body is passed on in parts.
    var isStreamed: Bool {
        if case .streamed = body { return true }
        return false
    }
}

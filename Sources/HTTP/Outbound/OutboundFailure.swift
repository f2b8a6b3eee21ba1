// SPDX-License-Identifier: Apache-2.0

/// The reason why a request has no response.
package struct OutboundFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that callers distinguish.
    package enum Kind: Sendable, Equatable {
        /// The method, a field or the URL of the request is invalid.
        case request
        /// The address belongs to this machine or to a private network and is not allowed.
        case address
        /// The host name cannot be resolved.
        case name
        /// The connection could not be established, or it was lost.
        case connection
        /// The server's certificate is not trusted.
        case certificate(CertificateFault)
        /// The proxy from the environment rejects the request, is unreachable, or is not trusted.
        case proxy
        /// The request exceeded its time limit.
        case time
        /// The response is too long.
        case size
        /// The response is a redirect that may not be followed.
        case redirect
        /// The response is not valid HTTP.
        case answer
        /// The caller cancelled the request.
        case cancelled
        /// Too many requests are queued, the program is shutting down, or the system rejects an operation.
        case unavailable
    }

    /// The reasons why a certificate is not trusted.
    package enum CertificateFault: Sendable, Equatable {
        /// The validity period of the certificate has ended.
        case expired
        /// The certificate is not yet valid.
        case notYetValid
        /// The certificate was issued for another name.
        case otherName
        /// The issuer is not a known authority.
        case unknownIssuer
        /// Any other reason for distrust.
        case other
    }

    /// The kind of the failure.
    package let kind: Kind
    /// A message with the fix. The message contains no path and no field of the request, because they may be secret.
    package let description: String
    /// Whether the server may have received the request despite the failure.
    package internal(set) var mayHaveArrived = false

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates the failure for an unusable URL.
    package init(invalid: OutboundURL.Invalid) { self.init(.request, invalid.description) }
}

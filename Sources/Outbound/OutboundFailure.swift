/// Why there is no answer.
package struct OutboundFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Kind: Sendable, Equatable {
        /// The request itself is wrong: method, field, URL.
        case request
        /// The address is this machine's own or a private network's, and not allowed.
        case address
        /// The name is not known.
        case name
        /// No connection, or one that broke.
        case connection
        /// The server's certificate is not to be believed.
        case certificate(CertificateFault)
        /// The proxy of the environment refuses, can't be reached, or is not to be believed.
        case proxy
        /// It took too long.
        case time
        /// The answer is too long.
        case size
        /// A redirect that is not followed.
        case redirect
        /// The answer is no HTTP.
        case answer
        /// The caller has cancelled it.
        case cancelled
        /// Too many wait, the program ends, or the system refuses something.
        case unavailable
    }

    /// What is wrong with a certificate.
    package enum CertificateFault: Sendable, Equatable {
        /// Its time is over.
        case expired
        /// Its time has not begun.
        case notYetValid
        /// It is another name's.
        case otherName
        /// Nobody known has signed it.
        case unknownIssuer
        /// Anything else.
        case other
    }

    /// What went wrong.
    package let kind: Kind
    /// One sentence with what to do. It names no path and no field of the request: they may be secret.
    package let description: String
    /// Whether the server may have got the request nevertheless.
    package internal(set) var mayHaveArrived = false

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A URL that can't be asked.
    package init(invalid: OutboundURL.Invalid) { self.init(.request, invalid.description) }
}

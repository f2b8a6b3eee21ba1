// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection is closed (RFC 6455 §7.4.1).
///
/// The constants include all codes of the RFC that a server may send, and the codes from the later registry that this
/// server uses.
package struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number that is transmitted.
    package let rawValue: UInt16

    /// Creates the code with this number without validating it.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    package static let normal = CloseCode(rawValue: 1000)
    /// The server is shutting down.
    package static let goingAway = CloseCode(rawValue: 1001)
    /// The peer has violated the protocol.
    package static let protocolError = CloseCode(rawValue: 1002)
    /// The peer has sent data of an unsupported type.
    package static let unsupportedData = CloseCode(rawValue: 1003)
    /// The peer has sent a text that is not UTF-8.
    package static let invalidPayload = CloseCode(rawValue: 1007)
    /// The peer has violated a policy. This server sends the code when a key is revoked.
    package static let policyViolation = CloseCode(rawValue: 1008)
    /// The peer has sent a message that is too long.
    package static let messageTooBig = CloseCode(rawValue: 1009)
    /// An error has occurred in the server.
    package static let internalError = CloseCode(rawValue: 1011)
    /// The server is overloaded; the client can reconnect later.
    package static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may contain the code. The codes 1004 to 1006 and 1015 only describe closures without a
    /// close frame. All other excluded codes are unassigned.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// The content of a close frame.
package struct CloseStatus: Sendable, Equatable {
    /// The reason as a code.
    package let code: CloseCode
    /// The reason in words, possibly empty.
    package let reason: String

    /// Creates a status from a code and a sentence.
    package init(_ code: CloseCode, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

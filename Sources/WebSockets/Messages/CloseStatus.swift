/// Why a connection ends (RFC 6455 §7.4.1). All codes of the RFC that a server may send stand here, sent or not, and of the
/// registry's later ones those that are sent.
package struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire.
    package let rawValue: UInt16

    /// The code with this number, whatever it is.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// What it was for is done.
    package static let normal = CloseCode(rawValue: 1000)
    /// The server ends.
    package static let goingAway = CloseCode(rawValue: 1001)
    /// The peer does not keep to the protocol.
    package static let protocolError = CloseCode(rawValue: 1002)
    /// Data of a kind that is not taken.
    package static let unsupportedData = CloseCode(rawValue: 1003)
    /// A text that is no UTF-8.
    package static let invalidPayload = CloseCode(rawValue: 1007)
    /// Against the rules: here, the key was revoked.
    package static let policyViolation = CloseCode(rawValue: 1008)
    /// A message that is too long.
    package static let messageTooBig = CloseCode(rawValue: 1009)
    /// Something has gone wrong at the server.
    package static let internalError = CloseCode(rawValue: 1011)
    /// The server has too much to do: come back later.
    package static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether it may stand in a frame: 1004 to 1006 and 1015 only say what happened without one, others are nobody's.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A close frame's content.
package struct CloseStatus: Sendable, Equatable {
    /// Why.
    package let code: CloseCode
    /// The same in words, perhaps none.
    package let reason: String

    /// A status of this code and this sentence.
    package init(_ code: CloseCode, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

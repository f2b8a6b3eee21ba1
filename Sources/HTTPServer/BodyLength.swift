/// How the body of an answer that is passed on ends.
package enum BodyLength: Sendable, Equatable {
    /// There is none; the length that a GET would have had is told where it is known (RFC 9110 §8.6).
    case none(announced: UInt64?)
    /// Exactly this many bytes.
    case known(UInt64)
    /// Its end tells.
    case unknown
}

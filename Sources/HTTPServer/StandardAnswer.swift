import HTTPTypes

/// The answers that a server gives before there is a request to hand over.
enum StandardAnswer {
    /// The request was begun and not ended in time (RFC 9110 §15.5.9).
    static let requestTimeout = Answer.detail(
        408, "The request did not arrive in time. Send it again on a new connection.")

    /// The request line and the fields are larger than allowed (RFC 6585 §5).
    static func headTooLarge(limit: Int) -> Answer {
        .detail(
            431,
            "The request line and header fields are larger than \(limit) bytes (--max-head). Send fewer or shorter fields."
        )
    }
}

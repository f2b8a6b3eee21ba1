/// An element to look for in a field's list, in lower case: the options of `Connection`, protocols, expectations.
package struct Token: Sendable {
    /// The element's bytes in lower case.
    package let lowercased: [UInt8]

    /// Takes a token in lower case.
    package init(_ lowercased: StaticString) { self.lowercased = Array(lowercased.description.utf8) }

    /// Whether an element is this one, in any spelling.
    package func isSpelt(_ element: Span<UInt8>) -> Bool { element.equalsIgnoringCase(lowercased.span) }

    /// `close` of `Connection` (RFC 9112 §9.6).
    package static let close = Token("close")
    /// `keep-alive` of `Connection`, HTTP/1.0's way to keep one open.
    package static let keepAlive = Token("keep-alive")
    /// `upgrade` of `Connection` (RFC 9110 §7.8).
    package static let upgrade = Token("upgrade")
    /// `websocket` of `Upgrade` (RFC 6455 §4.1).
    package static let webSocket = Token("websocket")
    /// `origin` of `Vary`, a field's name (RFC 9110 §12.5.5).
    package static let origin = Token("origin")
    /// `100-continue` of `Expect` (RFC 9110 §10.1.1).
    package static let continueExpectation = Token("100-continue")
}

// SPDX-License-Identifier: Apache-2.0

/// A lower-case element to search for in a list field, such as an option of `Connection`, a protocol or an expectation.
package struct Token: Sendable {
    /// The element's bytes in lower case.
    package let lowercased: [UInt8]

    /// Creates a token from its lower-case spelling.
    package init(_ lowercased: StaticString) { self.lowercased = Array(lowercased.description.utf8) }

    /// Returns whether an element equals the token, ignoring case.
    package func isSpelt(_ element: Span<UInt8>) -> Bool { element.equalsIgnoringCase(lowercased.span) }

    /// The token `close` in `Connection` (RFC 9112 §9.6).
    package static let close = Token("close")
    /// The token `keep-alive` in `Connection`, with which HTTP/1.0 keeps a connection open.
    package static let keepAlive = Token("keep-alive")
    /// The token `upgrade` in `Connection` (RFC 9110 §7.8).
    package static let upgrade = Token("upgrade")
    /// The token `websocket` in `Upgrade` (RFC 6455 §4.1).
    package static let webSocket = Token("websocket")
    /// The field name `origin` in `Vary` (RFC 9110 §12.5.5).
    package static let origin = Token("origin")
    /// The token `100-continue` in `Expect` (RFC 9110 §10.1.1).
    package static let continueExpectation = Token("100-continue")
}

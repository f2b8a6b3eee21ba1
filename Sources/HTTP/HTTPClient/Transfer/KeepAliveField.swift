// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The field that announces how long a connection to an instance may be idle: `Keep-Alive: timeout=5` (RFC 2068
/// §19.7.1.1; OpenCode 2 sends it with every response).
enum KeepAliveField {
    /// The part of that time that is reserved for a request to arrive, and for this side's clock being late.
    private static let margin = Duration.seconds(1)
    /// The maximum number of digits; a longer number would be no limit.
    private static let mostDigits = 9

    /// Returns how long a connection may be reused after its last request was sent; nil where nothing is announced.
    static func longestRest(_ fields: FieldList) -> Duration? {
        var shortest: Duration?
        var start = 0
        while let index = fields.firstIndex(of: .keepAlive, from: start) {
            for element in ListElements(fields.value(at: index)) {
                guard let seconds = timeout(element) else { continue }
                let rest = max(.zero, .seconds(seconds) - margin)
                shortest = min(shortest ?? rest, rest)
            }
            start = index + 1
        }
        return shortest
    }

    /// Returns the number of a `timeout=N`.
    private static func timeout(_ element: ArraySlice<UInt8>) -> Int64? {
        guard let equals = element.firstIndex(of: UInt8(ascii: "=")),
            element[..<equals].trimmingOptionalWhiteSpace().equalsIgnoringCase(name)
        else { return nil }
        let digits = element[(equals + 1)...].trimmingOptionalWhiteSpace()
        guard digits.count <= mostDigits, let number = ContentLength.parse(digits) else { return nil }
        return Int64(number)
    }

    private static let name = Array("timeout".utf8)
}

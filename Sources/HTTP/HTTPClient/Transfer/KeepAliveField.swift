// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The field with which an instance announces how long a connection may be idle: `Keep-Alive: timeout=5` (RFC 2068
/// §19.7.1.1). OpenCode 2 sends this field with every response.
enum KeepAliveField {
    /// The part of the announced time that is reserved for the transmission of a request and for a difference between
    /// the clocks.
    private static let margin = Duration.seconds(1)
    /// The maximum number of digits. A longer number counts as no limit.
    private static let mostDigits = 9

    /// Returns the time for which a connection may be reused after its last request; nil if the instance announces
    /// none.
    static func idleLimit(_ fields: FieldList) -> Duration? {
        var shortest: Duration?
        var start = 0
        while let index = fields.firstIndex(of: .keepAlive, from: start) {
            for element in ListElements(fields.value(at: index)) {
                guard let seconds = timeout(element) else { continue }
                let limit = max(.zero, .seconds(seconds) - margin)
                shortest = min(shortest ?? limit, limit)
            }
            start = index + 1
        }
        return shortest
    }

    /// Returns the number in `timeout=N`.
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

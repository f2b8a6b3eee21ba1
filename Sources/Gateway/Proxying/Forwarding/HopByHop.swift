// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import GatewayCore
import HTTPTypes

/// The fields that concern only one connection and are not forwarded (RFC 9110 §7.6.1).
struct HopByHop {
    /// The maximum number of `Connection` options that are read; further options of a head are ignored.
    private static let mostOptions = 32

    /// The options of `Connection` other than `keep-alive`, which is never forwarded. Most messages have none.
    private var options: [[UInt8]] = []

    /// Creates the rules for one head, whose `Connection` field can name further fields.
    init(_ fields: FieldList) {
        _ = fields.hasElement(in: .connection) { option in
            if !Token.keepAlive.isSpelt(option) {
                var copy: [UInt8] = []
                copy.append(copying: option)
                options.append(copy)
            }
            return options.count == Self.mostOptions
        }
    }

    /// Returns whether a field of the head is withheld.
    func removes(_ field: FieldName, _ spelling: Span<UInt8>) -> Bool {
        if field.isHopByHop { return true }
        for option in options where option.span.equalsIgnoringCase(spelling) { return true }
        return false
    }
}

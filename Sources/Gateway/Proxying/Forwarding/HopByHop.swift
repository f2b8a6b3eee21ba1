// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import GatewayCore
import HTTPTypes

/// The fields that concern only one connection and are not forwarded (RFC 9110 §7.6.1).
struct HopByHop {
    /// The maximum number of `Connection` options that the gateway reads. The gateway ignores further
    /// options of a head.
    private static let mostOptions = 32

    /// The options of `Connection` except `keep-alive`, because the gateway never forwards the field `Keep-Alive`. Most
    /// messages have no such options.
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

    /// Returns whether to withhold a field of the head.
    func removes(_ field: FieldName, _ spelling: Span<UInt8>) -> Bool {
        if field.isHopByHop { return true }
        for option in options where option.span.equalsIgnoringCase(spelling) { return true }
        return false
    }
}

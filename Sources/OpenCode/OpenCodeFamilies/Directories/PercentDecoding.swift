// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Decodes percent-encoding (RFC 3986 §2.1) if all decoders agree on the result.
enum PercentDecoding {
    /// Returns the decoded bytes; nil if decoders disagree. If only some escapes are valid, some decoders reject the
    /// whole value, and others decode the valid escapes. Decoders also disagree if the result is not UTF-8.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace)
        guard decoded.whole == 0 || decoded.broken == 0 else { return nil }
        return String(validating: decoded.bytes, as: UTF8.self) == nil ? nil : decoded.bytes
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Decodes percent-encoding (RFC 3986 §2.1) if all decoders agree about the result.
enum PercentDecoding {
    /// Returns the decoded bytes, or nil if decoders disagree. Decoders disagree if only some escapes are valid (one
    /// decoder rejects the whole value, another decodes the valid escapes), or if the result is not UTF-8.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace)
        guard decoded.whole == 0 || decoded.broken == 0 else { return nil }
        return String(validating: decoded.bytes, as: UTF8.self) == nil ? nil : decoded.bytes
    }
}

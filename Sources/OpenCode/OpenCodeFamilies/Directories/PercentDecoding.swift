// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Percent-decoding (RFC 3986 §2.1) where all decoders agree about the result.
enum PercentDecoding {
    /// Returns the decoded bytes; the same bytes where nothing is encoded. Returns nil where decoders differ: some
    /// escapes are valid and some are not (one decoder rejects all, another decodes the valid ones), or the result is
    /// not UTF-8.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace)
        guard decoded.whole == 0 || decoded.broken == 0 else { return nil }
        return String(validating: decoded.bytes, as: UTF8.self) == nil ? nil : decoded.bytes
    }
}

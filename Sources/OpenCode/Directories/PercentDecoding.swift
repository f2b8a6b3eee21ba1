internal import TextCoding

/// Percent-decoding (RFC 3986 §2.1) as far as all decoders agree about its outcome.
enum PercentDecoding {
    /// The decoded bytes; the same bytes where nothing is encoded. Nil where decoders differ: some escapes are whole and
    /// some are not (one decoder gives up on all, another decodes the whole ones), or the outcome is no UTF-8.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace)
        guard decoded.whole == 0 || decoded.broken == 0 else { return nil }
        return String(validating: decoded.bytes, as: UTF8.self) == nil ? nil : decoded.bytes
    }
}

internal import CSodium

/// Base64 (RFC 4648 §4).
package enum Base64 {
    /// Lends what a text stands for, from memory that is wiped afterwards: it may hold a secret. Nil where it is not base64 or
    /// more than `limit` bytes. Strict: padding required, no other characters, no bits left over: one text, one meaning.
    package static func withDecoded<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        withDecoded(text, atMost: limit, sodium_base64_VARIANT_ORIGINAL, body)
    }

    /// The same for base64url without padding (RFC 4648 §5), which fits in a token.
    package static func withDecodedURL<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        withDecoded(text, atMost: limit, sodium_base64_VARIANT_URLSAFE_NO_PADDING, body)
    }

    private static func withDecoded<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, _ variant: some BinaryInteger,
        _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        Library.require()
        guard !text.isEmpty else { return nil }
        // libsodium 1.0.18 takes bytes above 127 for some digit where `char` is signed.
        for index in text.indices where text[index] > 127 { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return nil }
            defer { sodium_memzero(start, buffer.count) }
            var count = 0
            // sodium_base642bin takes C memory, and refuses what stands behind the text where no end is asked for.
            let result = text.withUnsafeBufferPointer { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    sodium_base642bin(
                        start, buffer.count, text.baseAddress, text.count, nil, &count, nil, Int32(variant))
                }
            }
            guard result == 0 else { return nil }
            return body(UnsafeBufferPointer(start: start, count: count).span)
        }
    }

    /// The text of bytes, with padding.
    static func text(_ bytes: [UInt8]) -> String {
        let length = sodium_base64_encoded_len(bytes.count, Int32(sodium_base64_VARIANT_ORIGINAL))
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text in
            // sodium_bin2base64 writes a NUL-terminated string of the length that it has asked for.
            guard let start = text.baseAddress,
                sodium_bin2base64(start, length, bytes, bytes.count, Int32(sodium_base64_VARIANT_ORIGINAL)) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}

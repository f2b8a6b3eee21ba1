// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// A strict base64 decoder for secrets (RFC 4648 §4, §5). The time for decoding does not depend on the bytes' values.
/// For data that is not secret, use `Base64Encoding` in module `Encodings`.
package enum SecretBase64 {
    /// Calls `body` with the decoded bytes. Wipes their memory afterwards, because the bytes may be secret.
    ///
    /// Returns nil if the text is not base64 or has more than `limit` decoded bytes. The decoder accepts exactly one
    /// text for each value. The decoder requires padding, and rejects other characters and left-over bits.
    package static func withDecoded<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        withDecoded(text, atMost: limit, variant: sodium_base64_VARIANT_ORIGINAL, body)
    }

    /// Calls `body` with decoded base64url without padding (RFC 4648 §5), which is allowed in an HTTP token. Apart from
    /// this, the method behaves like ``withDecoded(_:atMost:_:)``.
    package static func withDecodedURL<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        withDecoded(text, atMost: limit, variant: sodium_base64_VARIANT_URLSAFE_NO_PADDING, body)
    }

    private static func withDecoded<Result>(
        _ text: borrowing Span<UInt8>, atMost limit: Int, variant: some BinaryInteger,
        _ body: (borrowing Span<UInt8>) -> Result
    ) -> Result? {
        Library.require()
        guard !text.isEmpty else { return nil }
        // Reject bytes above 127, because libsodium 1.0.18 mistakes some of these bytes for digits on platforms where
        // `char` is signed.
        for index in text.indices where text[index] > 127 { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return nil }
            defer { sodium_memzero(start, buffer.count) }
            var count = 0
            // sodium_base642bin takes C pointers. Without an end pointer, the function rejects characters after the
            // text.
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
}

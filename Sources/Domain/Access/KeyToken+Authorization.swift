// SPDX-License-Identifier: Apache-2.0

internal import Sodium

extension KeyToken {
    /// The maximum size of decoded Basic credentials in bytes.
    private static let longestCredentials = 1_024

    /// Returns the id in the value of an `Authorization` field whose key has the form of a token; nil for any other key.
    /// Neither the checksum nor the secret is verified.
    package static func id(inAuthorization value: borrowing Span<UInt8>) -> KeyID? {
        guard let credentials = Credentials(value) else { return nil }
        let presented = value.extracting(credentials.range)
        switch credentials.scheme {
        case .bearer: return id(in: presented)
        case .basic:
            return SecretBase64.withDecoded(presented, atMost: longestCredentials) { decoded -> KeyID? in
                for index in decoded.indices where decoded[index] == UInt8(ascii: ":") {
                    return id(in: decoded.extracting(droppingFirst: index + 1))
                }
                return nil
            } ?? nil
        }
    }
}

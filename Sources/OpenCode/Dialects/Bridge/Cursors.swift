// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Creates cursors for OpenCode 2's message lists. In OpenCode 2.0.15, a cursor is the base64url encoding of
/// `{"id","order","direction"}`.
enum Cursors {
    /// Returns the cursor for the messages that follow a message in the given order.
    static func after(_ id: String, order: String) -> String {
        let position: JSON = ["id": .string(id), "order": .string(order), "direction": "next"]
        return Base64Encoding.encode(position.bytes, isForAddresses: true)
    }
}

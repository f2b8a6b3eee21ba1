// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Creates positions in OpenCode 2's message lists. A position is the base64url of `{"id","order","direction"}`, as in
/// 2.0.15.
enum Cursors {
    /// Returns the cursor of the messages that follow a message in the given order.
    static func after(_ id: String, order: String) -> String {
        let position: JSON = ["id": .string(id), "order": .string(order), "direction": "next"]
        return Base64Encoding.encode(position.bytes, isForAddresses: true)
    }
}

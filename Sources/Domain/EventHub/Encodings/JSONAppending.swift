// SPDX-License-Identifier: Apache-2.0

import JSONText

extension [UInt8] {
    /// Appends a JSON string, including its quotes.
    mutating func append(jsonText text: [UInt8]) { append(jsonString: String(decoding: text, as: UTF8.self)) }
}

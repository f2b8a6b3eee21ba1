// SPDX-License-Identifier: Apache-2.0

import JSONText

extension [UInt8] {
    /// Appends a range of JSON unchanged.
    mutating func append(_ json: borrowing Span<UInt8>, _ range: Range<Int>) {
        reserveCapacity(count + range.count)
        for index in range { append(json[index]) }
    }

    /// Appends a JSON string, including its quotes.
    mutating func append(jsonText text: [UInt8]) { append(jsonString: String(decoding: text, as: UTF8.self)) }
}

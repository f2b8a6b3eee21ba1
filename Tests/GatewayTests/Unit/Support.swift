// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension FieldList {
    /// Creates a list of these fields in this order.
    init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields { append(name, value) }
    }

    /// The fields as `Name: value`, in order.
    var lines: [String] {
        (0..<count).map {
            "\(String(decoding: name(at: $0), as: UTF8.self)): \(String(decoding: value(at: $0), as: UTF8.self))"
        }
    }
}

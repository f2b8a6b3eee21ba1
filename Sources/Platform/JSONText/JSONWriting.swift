// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a JSON value without white space.
    package mutating func append(json: JSON) {
        switch json {
        case .null: append(contentsOf: "null".utf8)
        case .bool(let bool): append(contentsOf: (bool ? "true" : "false").utf8)
        case .number(let number): append(contentsOf: number.text.utf8)
        case .string(let text): append(jsonString: text)
        case .brokenString(let raw):
            append(UInt8(ascii: "\""))
            append(contentsOf: raw)
            append(UInt8(ascii: "\""))
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(json: element)
            }
            append(UInt8(ascii: "]"))
        case .object(let object): append(members: object)
        }
    }

    private mutating func append(members object: JSONObject) {
        append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(jsonString: member.name)
            append(UInt8(ascii: ":"))
            append(json: member.value)
        }
        append(UInt8(ascii: "}"))
    }
}

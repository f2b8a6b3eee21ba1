// SPDX-License-Identifier: Apache-2.0

/// A field name that the gateway writes, in the spelling of RFC 9110 and related standards, with its colon and space.
package struct KnownName: Sendable {
    let field: FieldName
    /// The name, its colon and a space.
    let beginning: [UInt8]
    /// The length of the name in bytes.
    var count: Int { beginning.count - 2 }

    /// Creates a name with the given spelling.
    package init(_ field: FieldName, _ spelling: StaticString) {
        self.field = field
        beginning = Array("\(spelling): ".utf8)
    }
}

/// A field that the gateway always writes with the same value.
package struct KnownLine: Sendable {
    let name: KnownName
    /// The field line with its CR LF.
    let bytes: [UInt8]

    /// Creates a field with the given name and value. The value must not be empty.
    package init(_ name: KnownName, _ value: StaticString) {
        self.name = name
        bytes = name.beginning + Array("\(value)\r\n".utf8)
    }
}

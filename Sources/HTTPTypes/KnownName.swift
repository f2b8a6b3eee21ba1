/// A name that the gateway writes itself, spelt as RFC 9110 and its kin spell it, with what follows it in a line.
package struct KnownName: Sendable {
    let field: FieldName
    /// The name, its colon and a space.
    let beginning: [UInt8]
    /// The name's length in bytes.
    var count: Int { beginning.count - 2 }

    /// A name of this spelling.
    package init(_ field: FieldName, _ spelling: StaticString) {
        self.field = field
        beginning = Array("\(spelling): ".utf8)
    }
}

/// A field that the gateway writes always in the same way.
package struct KnownLine: Sendable {
    let name: KnownName
    /// Its line with CR LF.
    let bytes: [UInt8]

    /// A field of this name and value, which is not empty.
    package init(_ name: KnownName, _ value: StaticString) {
        self.name = name
        bytes = name.beginning + Array("\(value)\r\n".utf8)
    }
}

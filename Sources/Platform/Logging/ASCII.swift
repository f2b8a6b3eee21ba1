// SPDX-License-Identifier: Apache-2.0

/// The ASCII characters that the encoders write or search for.
enum ASCII {
    static let newline: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let questionMark: UInt8 = 0x3F
    static let upperT: UInt8 = 0x54
    static let backslash: UInt8 = 0x5C
    static let underscore: UInt8 = 0x5F
    static let closeBrace: UInt8 = 0x7D
    static let delete: UInt8 = 0x7F
}

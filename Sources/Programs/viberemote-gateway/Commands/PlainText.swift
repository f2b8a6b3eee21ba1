// SPDX-License-Identifier: Apache-2.0

/// The conversion of external text into text that is safe for a terminal.
enum PlainText {
    /// Returns the text on one line. Replaces characters that could control the terminal with their code points.
    static func line(_ text: String) -> String { escaped(text) { _ in false } }

    /// Returns the text with the same replacements as ``line(_:)``, but keeps its line breaks.
    static func lines(_ text: String) -> String { escaped(text) { $0 == "\n" } }

    /// The maximum width of padded columns. A longer cell shifts only its own row.
    private static let widestColumn = 40

    /// Returns the cells as aligned columns. The last column is not padded.
    ///
    /// - Parameter widest: The maximum width of padded columns.
    static func table(_ rows: [[String]], widest: Int = widestColumn) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? width($0[column]) : nil }.filter { $0 <= widest }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { index, cell in
                index == row.count - 1
                    ? cell : cell + String(repeating: " ", count: max(0, widths[index] - width(cell)))
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// Returns the number of columns that a terminal uses for a text.
    static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
        }
    }

    /// Returns whether a character is wide or full-width (Unicode Standard Annex 11). The ranges may contain unassigned
    /// characters.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    private static func escaped(_ text: String, except isKept: (Unicode.Scalar) -> Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                if isKept(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "\\u{" + String(scalar.value, radix: 16) + "}"
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

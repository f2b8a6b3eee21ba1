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
    static func table(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].count : nil }.filter { $0 <= widestColumn }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: max(0, widths[index] - cell.count))
            }.joined(separator: "  ")
        }.joined(separator: "\n")
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

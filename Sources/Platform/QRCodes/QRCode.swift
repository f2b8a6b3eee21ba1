// SPDX-License-Identifier: Apache-2.0

internal import CQREncode

/// A QR code (ISO/IEC 18004).
package struct QRCode: Sendable, Equatable {
    /// The number of modules on each side.
    package let size: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// The width of the light margin in modules. ISO/IEC 18004 requires four.
    private static let margin = 4

    /// Creates the code of a text. Returns nil if the text is too long for a code, or empty.
    ///
    /// The error correction level M restores up to 15 % of a code, as most programs choose for screens.
    package init?(_ text: String) {
        // QRcode_encodeString8bit(3) takes a C string and returns a code that the caller frees.
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        size = width
        // The lowest bit of a module's byte says whether the module is dark.
        modules = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    /// Returns whether a module is dark. Modules outside the code are light.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// The code as text for a terminal. Each line shows two rows of modules by half blocks (Unicode, "Block Elements"). The
    /// text sets both colours (ECMA-48 §8.3.117), because scanners need dark modules on a light margin, whatever the
    /// colours of the terminal are.
    package var terminalText: String {
        let range = -Self.margin..<(size + Self.margin)
        let lines = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let blocks = range.map { column -> String in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "\u{2588}"
                case (true, false): "\u{2580}"
                case (false, true): "\u{2584}"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m"
        }
        return lines.joined(separator: "\n")
    }
}

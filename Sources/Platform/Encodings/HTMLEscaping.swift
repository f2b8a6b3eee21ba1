// SPDX-License-Identifier: Apache-2.0

/// Text in HTML (WHATWG HTML §13.1).
package enum HTMLEscaping {
    /// Returns a text escaped for the content of an element and for a quoted attribute.
    package static func text(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

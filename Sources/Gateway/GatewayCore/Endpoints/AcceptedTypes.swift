// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The content types that a client prefers according to its `Accept` fields (RFC 9110 §12.5.1).
package enum AcceptedTypes {
    /// Returns whether the client prefers a web page to JSON. A browser states this preference when a user opens a URL.
    /// Other programs do not state it.
    package static func preferPage(_ fields: FieldList) -> Bool {
        guard var index = fields.firstIndex(of: .accept) else { return false }
        var page = Weight()
        var data = Weight()
        while true {
            for element in ListElements(fields.value(at: index)) {
                let parts = element.split(separator: UInt8(ascii: ";"))
                guard let type = parts.first.map(trimmed) else { continue }
                let weight = parts.dropFirst().lazy.compactMap(quality).first ?? 1_000
                page.apply(type, weight, wanted: html, range: texts)
                data.apply(type, weight, wanted: json, range: applications)
            }
            guard let next = fields.firstIndex(of: .accept, from: index + 1) else { break }
            index = next
        }
        return page.value > data.value
    }

    /// The weight of one type in thousandths. A weight of the type itself takes precedence over a weight of a range of
    /// types such as `text/*`.
    private struct Weight {
        private(set) var value = 0
        private var precision = 0

        mutating func apply(_ type: [UInt8], _ weight: Int, wanted: [UInt8], range: [UInt8]) {
            let precision = type == wanted ? 3 : type == range ? 2 : type == anything ? 1 : 0
            guard precision > 0, precision >= self.precision else { return }
            value = weight
            self.precision = precision
        }
    }

    /// Returns the value of the parameter `q` in thousandths; nil for another parameter.
    private static func quality(_ parameter: ArraySlice<UInt8>) -> Int? {
        let text = trimmed(parameter)
        guard text.starts(with: "q=".utf8) else { return nil }
        let number = text.dropFirst(2)
        guard let first = number.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return 0 }
        var weight = first == UInt8(ascii: "1") ? 1_000 : 0
        for (digit, worth) in zip(number.dropFirst(2), [100, 10, 1]) where digit &- 0x30 < 10 {
            weight += Int(digit - 0x30) * worth
        }
        return min(weight, 1_000)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let start = text.drop { $0.isOptionalWhiteSpace }
        return start.reversed().drop { $0.isOptionalWhiteSpace }.reversed().map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    }

    private static let html = Array("text/html".utf8)
    private static let texts = Array("text/*".utf8)
    private static let json = Array("application/json".utf8)
    private static let applications = Array("application/*".utf8)
    private static let anything = Array("*/*".utf8)
}

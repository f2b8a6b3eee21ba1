// SPDX-License-Identifier: Apache-2.0

/// The name of a segment's file, `GENERATION-SEQUENCE.NUMBER.events`. Leading zeros ensure that the names have the same
/// order as the contents. The sequence is the sequence of the first event that the segment may contain. The number
/// distinguishes segments with the same generation and sequence.
struct SegmentName: Equatable {
    var generation: UInt64
    var sequence: UInt64
    var number: UInt16 = 0

    private static let ending = ".events"

    init(generation: UInt64, sequence: UInt64, number: UInt16 = 0) {
        self.generation = generation
        self.sequence = sequence
        self.number = number
    }

    /// Creates a name from its text; nil if the text is not a segment's name.
    init?(_ text: String) {
        guard text.hasSuffix(Self.ending) else { return nil }
        let parts = text.dropLast(Self.ending.count).split(whereSeparator: { $0 == "-" || $0 == "." })
        guard parts.count == 3, let generation = UInt64(parts[0]), let sequence = UInt64(parts[1]),
            let number = UInt16(parts[2])
        else { return nil }
        self.init(generation: generation, sequence: sequence, number: number)
        guard self.text == text else { return nil }
    }

    var text: String {
        let beginning = Self.padded(generation, 20) + "-" + Self.padded(sequence, 20)
        return beginning + "." + Self.padded(UInt64(number), 5) + Self.ending
    }

    private static func padded(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}

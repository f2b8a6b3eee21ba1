// SPDX-License-Identifier: Apache-2.0

/// The position of an event among all events of one instance. A client's `Last-Event-ID` contains an event id.
///
/// The text form of an event's id is `GENERATION-SEQUENCE`. The text form of the id of a made frame is
/// `GENERATION-SEQUENCE.FRAME`.
package struct EventID: Sendable, Hashable, Comparable {
    /// The generation. Each run of the instance and each start of the gateway begins a new generation. Generations
    /// increase with time and are never reused.
    package var generation: UInt64
    /// The number of the event in its generation. Numbers begin with 1 and are consecutive.
    package var sequence: UInt64
    /// The frame's number among the frames made from the event, counted from 1. The value 0 means the event as a whole.
    package var frame: UInt32

    /// Creates an id from a generation, a sequence and a frame number.
    package init(generation: UInt64, sequence: UInt64, frame: UInt32 = 0) {
        self.generation = generation
        self.sequence = sequence
        self.frame = frame
    }

    /// Parses the text form of an id. Returns nil for any other text. Leading zeros are not allowed, so each id has
    /// only one text form.
    package init?(_ text: Span<UInt8>) {
        var index = 0
        guard let generation = Self.number(text, &index), index < text.count, text[index] == UInt8(ascii: "-") else {
            return nil
        }
        index += 1
        guard let sequence = Self.number(text, &index) else { return nil }
        self.init(generation: generation, sequence: sequence)
        guard index < text.count else { return }
        guard text[index] == UInt8(ascii: ".") else { return nil }
        index += 1
        guard let frame = Self.number(text, &index), frame > 0, frame <= UInt32.max, index == text.count else {
            return nil
        }
        self.frame = UInt32(frame)
    }

    /// The largest generation and sequence that the gateway assigns. A generation is approximately the number of
    /// milliseconds since 1970, which exceeds this limit in the year 287396. A larger number in a file is a sign of
    /// damage.
    static let largestNumber: UInt64 = 1 << 53

    /// Whether a gateway can have assigned this id.
    var isPlausible: Bool { generation <= Self.largestNumber && sequence <= Self.largestNumber }

    /// Returns whether an event can have this time, in milliseconds since 1970.
    static func isPlausible(time: Int64) -> Bool { time.magnitude <= largestNumber }

    /// Returns whether both ids belong to the same event.
    package func isOfEvent(_ other: EventID?) -> Bool { generation == other?.generation && sequence == other?.sequence }

    /// The text form of the id.
    package var text: String {
        frame == 0 ? "\(generation)-\(sequence)" : "\(generation)-\(sequence).\(frame)"
    }

    /// Returns whether the first id is earlier than the second.
    package static func < (left: EventID, right: EventID) -> Bool {
        (left.generation, left.sequence, left.frame) < (right.generation, right.sequence, right.frame)
    }

    private static func number(_ text: Span<UInt8>, _ index: inout Int) -> UInt64? {
        let start = index
        var number: UInt64 = 0
        while index < text.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = text[index] {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(text[index] - UInt8(ascii: "0")))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
            index += 1
        }
        guard index > start, index == start + 1 || text[start] != UInt8(ascii: "0") else { return nil }
        return number
    }
}

// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An entry in the format of `journalctl -o json`.
struct JournalLine {
    let message: String
    let pid: String
    /// The time at which the journal received the entry, in microseconds since 1970.
    let microseconds: UInt64

    /// Parses an entry; returns nil if the line is not an entry with a text.
    init?(_ json: String) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(json.utf8)),
            let time = UInt64(fields.time)
        else { return nil }
        message = fields.message
        pid = fields.pid ?? ""
        microseconds = time
    }

    private struct Fields: Decodable {
        enum CodingKeys: String, CodingKey {
            case message = "MESSAGE"
            case pid = "_PID"
            case time = "__REALTIME_TIMESTAMP"
        }

        let message: String
        let pid: String?
        let time: String
    }
}

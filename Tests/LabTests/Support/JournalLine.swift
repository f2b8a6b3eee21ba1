import FoundationEssentials

/// An entry as `journalctl -o json` prints it.
struct JournalLine {
    let message: String
    let pid: String
    /// When the journal received it, since 1970.
    let microseconds: UInt64

    /// Nil for what is no entry with a text.
    init?(_ json: String) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(json.utf8)),
            let time = UInt64(fields.time)
        else { return nil }
        (message, pid, microseconds) = (fields.message, fields.pid ?? "", time)
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

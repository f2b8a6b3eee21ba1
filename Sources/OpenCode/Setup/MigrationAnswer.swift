internal import FoundationEssentials

/// How far OpenCode 2 has taken over the sessions of OpenCode 1 (`GET /api/experimental/migration/v1`, 2.0.15).
package enum MigrationAnswer: Sendable, Equatable {
    /// All are there, or there were none; or this version doesn't say.
    case completed
    /// It has not begun.
    case required
    /// It works on them; what it says of how far it is, such as `Sessions 12 of 40`.
    case running(progress: String)
    /// It has given up; why.
    case failed(reason: String)

    /// The meaning of an answer, from its status code and its body; nil where it makes no sense.
    package init?(status: Int, body: [UInt8]) {
        guard status != 404 else {
            self = .completed
            return
        }
        guard status == 200, let answer = try? JSONDecoder().decode(Body.self, from: Data(body)) else { return nil }
        switch answer.status {
        case "completed": self = .completed
        case "required": self = .required
        case "running": self = .running(progress: answer.progress?.text ?? "")
        case "error": self = .failed(reason: ControlSequences.plain(answer.error ?? ""))
        default: return nil
        }
    }

    /// What `status` says as long as not all sessions are there; nil when they are.
    package var warning: String? {
        switch self {
        case .completed: nil
        case .required: "OpenCode 2 has not taken over OpenCode 1's sessions yet: older ones may be missing for a while"
        case .running(let progress):
            "OpenCode 2 takes over OpenCode 1's sessions\(progress.isEmpty ? "" : " (\(progress))"): older ones may be "
                + "missing for a while"
        case .failed(let reason):
            "OpenCode 2 could not take over OpenCode 1's sessions\(reason.isEmpty ? "" : ": " + reason)"
        }
    }

    private struct Body: Decodable {
        struct Progress: Decodable {
            var label: String
            var numerator: Int?
            var denominator: Int?

            var text: String {
                let label = ControlSequences.plain(label)
                guard let numerator else { return label }
                return "\(label) \(numerator)" + (denominator.map { " of \($0)" } ?? "")
            }
        }
        var status: String
        var progress: Progress?
        var error: String?
    }
}

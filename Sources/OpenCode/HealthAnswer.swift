internal import FoundationEssentials

/// What an instance's answer to `GET /global/health` means.
package enum HealthAnswer: Sendable, Equatable {
    /// It is ready; its version as it says it.
    case healthy(version: String)
    /// It is not; the reason as one sentence.
    case unhealthy(reason: String)

    /// It does not take the password that it was given, or wants one; one sentence.
    case unauthorized(reason: String)

    /// The path that is asked.
    package static let path = "/global/health"

    /// The answer's meaning, from its status code and its body.
    package init(status: Int, body: [UInt8]) {
        switch status {
        case 200: self = Self.meaning(of: body)
        case 401:
            self = .unauthorized(
                reason: "It wants a password that the gateway did not give (401): is OPENCODE_SERVER_PASSWORD or "
                    + "OPENCODE_SERVER_USERNAME set in its configuration?")
        case 404:
            self = .unhealthy(
                reason: "It knows no \(Self.path) (404): this OpenCode is too old, or the port is another program's.")
        case 500...599:
            self = .unhealthy(
                reason:
                    "It answered its health check with \(status): OpenCode failed to initialise, for instance "
                    + "because a plug-in could not be installed.")
        default:
            self = .unhealthy(reason: "It answered its health check with the unexpected status \(status).")
        }
    }

    private struct Body: Decodable {
        var healthy: Bool
        var version: String?
    }

    private static func meaning(of body: [UInt8]) -> HealthAnswer {
        if let first = body.first(where: { $0 > 0x20 }), first == UInt8(ascii: "<") {
            return .unhealthy(
                reason: "It answered its health check with a web page: this OpenCode is too old to have \(path).")
        }
        guard let answer = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            return .unhealthy(reason: "It answered its health check with something that is not OpenCode's health JSON.")
        }
        guard answer.healthy else { return .unhealthy(reason: "It says of itself that it is not healthy.") }
        return .healthy(version: answer.version ?? "unknown")
    }
}

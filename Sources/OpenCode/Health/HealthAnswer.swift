internal import JSONText

/// What an instance's answer to the question for its health means.
package enum HealthAnswer: Sendable, Equatable {
    /// It is ready: its version as it says it, and the number of its process as it sees that itself (2.x).
    case healthy(version: String?, processNumber: Int32? = nil)
    /// It is not; the reason as one sentence.
    case unhealthy(reason: String)
    /// It does not take the password that it was given, or wants one; one sentence.
    case unauthorized(reason: String)
    /// Health is not told at this path: another one may be right.
    case otherwise(Kind)

    /// How an answer says that.
    package enum Kind: Sendable, Equatable {
        /// 404.
        case notFound
        /// A page of HTML: OpenCode 2 gives one for every path that is not its API's.
        case page
    }

    /// The meaning of an answer to `path`, from its status code and its body.
    package init(status: Int, body: [UInt8], path: HealthPath) {
        switch status {
        case 200: self = Self.meaning(of: body, path)
        case 401:
            self = .unauthorized(
                reason: "It wants a password that the gateway did not give (401): does its command set or take away "
                    + "OPENCODE_PASSWORD, OPENCODE_SERVER_PASSWORD or OPENCODE_SERVER_USERNAME, or has another program its "
                    + "port?")
        case 404: self = .otherwise(.notFound)
        case 500...599:
            self = .unhealthy(
                reason:
                    "It answered its health check with \(status): OpenCode failed to initialise, for instance "
                    + "because a plug-in could not be installed.")
        default:
            self = .unhealthy(reason: "It answered its health check with the unexpected status \(status).")
        }
    }

    /// Why an instance with this answer is not ready, as one sentence; nil when it is.
    package func trouble(at path: HealthPath) -> String? {
        switch self {
        case .healthy: nil
        case .unhealthy(let reason), .unauthorized(let reason): reason
        case .otherwise(.notFound) where path == .globalHealth:
            "It knows no \(path.rawValue) (404): update OpenCode, which is older than 1.1, unless the port "
                + "is another program's."
        case .otherwise(.notFound):
            "It knows neither \(HealthPath.info.rawValue) nor \(HealthPath.health.rawValue) (404): update OpenCode, "
                + "which is older than 2.0.3, unless the port is another program's."
        case .otherwise(.page):
            "It answered \(path.rawValue) with a web page and not with OpenCode's health: does another program have its "
                + "port, or was its announcement changed on its way?"
        }
    }

    /// The answers of all families: `/api/info` says no `healthy`, `/api/health` may say no version.
    private struct Body: JSONReadable {
        let healthy: Bool?
        let version: String?
        let pid: Int32?

        init(json: JSON) throws(JSONMismatch) {
            healthy = try json.optional("healthy")
            version = try json.optional("version")
            pid = try json.optional("pid")
        }
    }

    private static func meaning(of body: [UInt8], _ path: HealthPath) -> HealthAnswer {
        if let first = body.first(where: { $0 > 0x20 }), first == UInt8(ascii: "<") { return .otherwise(.page) }
        guard let answer = Body(jsonText: body),
            answer.healthy != nil || (path == .info && answer.version != nil)
        else {
            return .unhealthy(reason: "It answered its health check with something that is not OpenCode's health JSON.")
        }
        guard answer.healthy != false else {
            return .unhealthy(reason: "It says of itself that it is not healthy.")
        }
        return .healthy(version: answer.version, processNumber: answer.pid)
    }
}

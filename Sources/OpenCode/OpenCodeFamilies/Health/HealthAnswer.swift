// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The meaning of an instance's response to a health check.
package enum HealthAnswer: Sendable, Equatable {
    /// The instance is ready. The values are the version that the instance reports, and the number of its process in
    /// the process's own namespace (2.x).
    case healthy(version: String?, processNumber: Int32? = nil)
    /// The instance is not ready. The value is a message that states the reason.
    case unhealthy(reason: String)
    /// The instance rejects the given password, or requires a password. The value is a message that states the reason.
    case unauthorized(reason: String)
    /// The requested path does not report health, but another path may.
    case otherwise(Kind)

    /// The kind of a response that does not report health.
    package enum Kind: Sendable, Equatable {
        /// The response has the status 404.
        case notFound
        /// The response is a page of HTML. OpenCode 2 returns a page for every path outside its API.
        case page
    }

    /// Interprets the status code and the body of a response to a request for `path`.
    package init(status: Int, body: [UInt8], path: HealthPath) {
        switch status {
        case 200: self = Self.meaning(of: body, path)
        case 401:
            self = .unauthorized(
                reason:
                    "OpenCode requires a password that the gateway did not send (401). Check whether the instance's command sets "
                    + "or removes OPENCODE_PASSWORD, OPENCODE_SERVER_PASSWORD or OPENCODE_SERVER_USERNAME, or whether "
                    + "another program uses the port.")
        case 404: self = .otherwise(.notFound)
        case 500...599:
            self = .unhealthy(
                reason:
                    "OpenCode responded to its health check with \(status): it failed to initialise, for example because a "
                    + "plug-in could not be installed. Read OpenCode's output in the log.")
        default:
            self = .unhealthy(
                reason:
                    "OpenCode responded to its health check with the unexpected status \(status). Read its output in the log."
            )
        }
    }

    /// Returns a message that states why an instance with this response is not ready; nil if the instance is ready.
    package func trouble(at path: HealthPath) -> String? {
        switch self {
        case .healthy: nil
        case .unhealthy(let reason), .unauthorized(let reason): reason
        case .otherwise(.notFound) where path == .globalHealth:
            "OpenCode has no \(path.rawValue) (404). Update OpenCode if it is older than 1.1. Otherwise check whether another "
                + "program uses the port."
        case .otherwise(.notFound):
            "OpenCode has neither \(HealthPath.info.rawValue) nor \(HealthPath.health.rawValue) (404). Update OpenCode if it is "
                + "older than 2.0.3. Otherwise check whether another program uses the port."
        case .otherwise(.page):
            "OpenCode responded to \(path.rawValue) with a web page instead of a health report. Check whether another program "
                + "uses the port, or whether the instance's command changes OpenCode's announcement."
        }
    }

    /// The body of a response in any family. `/api/info` has no `healthy`, and `/api/health` may have no version.
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
            return .unhealthy(
                reason:
                    "OpenCode responded to its health check with something other than a JSON health report. Check whether "
                    + "another program uses the port.")
        }
        guard answer.healthy != false else {
            return .unhealthy(reason: "OpenCode reports that it is not healthy. Read its output in the log.")
        }
        return .healthy(version: answer.version, processNumber: answer.pid)
    }
}

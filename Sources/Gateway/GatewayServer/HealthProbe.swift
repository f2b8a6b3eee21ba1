// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import EventLoop
import GatewayCore
import HTTPClient
import HTTPTypes
import Instances
import OpenCodeFamilies

/// The health check of an instance. A loop's HTTP client performs the check, because the control plane
/// itself uses no HTTP.
enum HealthProbe {
    /// Sends the health check immediately. Tries another path if the first path is wrong. If `query` requires a check
    /// of the password, repeats the request without a password.
    ///
    /// - Parameter report: Called exactly once with the result.
    static func start(_ query: HealthQuery, of client: UpstreamClient, report: @escaping (HealthFinding) -> Void) {
        search(query, client) { finding in
            guard query.checksPassword, case .healthy(let version, _, let path?, let number) = finding else {
                return report(finding)
            }
            var unauthenticated = query
            unauthenticated.credentials = nil
            unauthenticated.search = HealthSearch(family: path.family, found: path)
            search(unauthenticated, client) { answer in
                let enforces = isRefusal(answer)
                report(.healthy(version: version, enforcesPassword: enforces, path: path, processNumber: number))
            }
        }
    }

    /// Returns whether a server rejected a request without its password; nil if the server did not respond.
    private static func isRefusal(_ finding: HealthFinding) -> Bool? {
        switch finding {
        case .unauthorized: true
        case .healthy, .unhealthy: false
        case .silent: nil
        }
    }

    private static func search(
        _ query: HealthQuery, _ client: UpstreamClient, report: @escaping (HealthFinding) -> Void
    ) {
        let path = query.search.path
        let startTime = MonotonicTime.now
        let instanceQuery = InstanceQuery(
            address: query.address, target: Array(path.rawValue.utf8),
            authorization: query.credentials?.authorization(for: path.family).map { Array($0.utf8) },
            timeout: query.timeout)
        WholeAnswer.send(
            instanceQuery.request(), of: client, within: instanceQuery.timeout, longestBody: InstanceQuery.longestBody
        ) { outcome in
            guard case .answered(let status, let body) = outcome else {
                return report(.silent(reason: silence(outcome, query.timeout)))
            }
            let answer = HealthAnswer(status: status, body: body, path: path)
            var query = query
            // All paths share the time limit of a single request.
            query.timeout = max(.milliseconds(1), query.timeout - (MonotonicTime.now - startTime))
            if query.search.advance(after: answer) { return search(query, client, report: report) }
            report(HealthFinding(answer, at: path))
        }
    }

    /// Returns the reason for a missing response.
    private static func silence(_ outcome: WholeAnswer.RequestResult, _ timeout: Duration) -> String {
        switch outcome {
        case .failed(.refused): "OpenCode does not accept connections on its port yet."
        case .failed(.outOfDescriptors): "The gateway has no file descriptor left for a health check."
        case .failed(.noAnswer(let reason)), .failed(.badAnswer(let reason)), .failed(.brokenBody(let reason)):
            "OpenCode sent an invalid response to the health check: \(reason)."
        case .late, .answered:
            "OpenCode accepts connections but did not respond to its health check within \(timeout.text(.setting))."
        }
    }
}

extension HealthFinding {
    /// Creates the finding for a response to a health check.
    fileprivate init(_ answer: HealthAnswer, at path: HealthPath) {
        switch answer {
        case .healthy(let version, let number): self = .healthy(version: version, path: path, processNumber: number)
        case .unauthorized(let reason): self = .unauthorized(reason: reason)
        case .unhealthy, .otherwise: self = .unhealthy(reason: answer.trouble(at: path) ?? "OpenCode is not healthy.")
        }
    }
}

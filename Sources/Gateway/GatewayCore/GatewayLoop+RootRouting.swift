// SPDX-License-Identifier: Apache-2.0

import Access
import Encodings
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
import Projects

/// Root routing: a key that can open exactly one project reaches the project's OpenCode at the root, so that programs that
/// know only an address and a password work. The gateway's own paths take precedence.
extension GatewayLoop {
    /// The beginning of the paths that are reserved for the gateway. No instance receives them.
    private static var reservedPrefix: String { "/-/" }

    /// Returns the decision about a request for a path that is not one of the gateway's own paths.
    func decideAtRoot(_ connection: ClientConnection) -> Decision {
        let head = connection.head
        let request = connection.request
        guard let target = RequestTarget(head.target), target.path.first == UInt8(ascii: "/"),
            !target.path.starts(with: Self.reservedPrefix.utf8), snapshot.namedKeys.hasProjectKeys
        else { return .refusal(.notFound) }
        // Without a valid key, an unknown path is unknown, as before.
        guard admit(connection, for: request, requirement: .key(.read), namesProject: false, segment: { nil }) == nil,
            let projects = request.principal?.rights.projects
        else { return .refusal(refusalAtRoot(of: connection)) }
        guard let only = projects.first, projects.count == 1 else {
            return .refusal(Self.severalProjects(projects))
        }
        request.isAtRoot = true
        let segment = Array(PercentEncoding.encode(only.utf8))
        return route(connection, segment: segment[...], target: AuthToken.removed(from: target.from(target.path)))
    }

    /// Returns 401 for a named key that is not valid, so that its holder learns the reason, and otherwise 404.
    private func refusalAtRoot(of connection: ClientConnection) -> GatewayError {
        guard connection.request.principal == nil else { return .notFound }
        switch Admission.judge(connection.head, snapshot, for: .key(.read)) {
        case .refused(.mistypedKey): return Admission.Rejection.mistypedKey.error
        case .refused(.expiredKey): return Admission.Rejection.expiredKey.error
        default: return .notFound
        }
    }

    private static func severalProjects(_ projects: Set<String>) -> GatewayError {
        let bases = projects.sorted().prefix(5).map { name in
            "/projects/\(String(decoding: PercentEncoding.encode(name.utf8), as: UTF8.self))/api"
        }
        return GatewayError(
            404,
            "This key opens several projects, so the path must name one. Use one of these base paths: "
                + "\(bases.joined(separator: ", ")).")
    }

    /// Returns the methods of a path that an instance may serve at the root, in the form of the `Allow` field; nil if no
    /// instance does. A preflight request contains no key, so the project is unknown.
    func rootMethods(_ head: RequestHead) -> String? {
        guard snapshot.namedKeys.hasProjectKeys, let path = RequestTarget(head.target)?.path,
            path.first == UInt8(ascii: "/"), !path.starts(with: Self.reservedPrefix.utf8)
        else { return nil }
        return endpoints.instanceMethods
    }
}

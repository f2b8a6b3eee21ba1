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
    /// Returns the decision about a request for a path that is not one of the gateway's own paths.
    func decideAtRoot(_ connection: ClientConnection) -> Decision {
        let head = connection.head
        let request = connection.request
        guard let target = RequestTarget(head.target), target.path.first == UInt8(ascii: "/"),
            !endpoints.isOwn(target.path), snapshot.namedKeys.hasProjectKeys
        else { return .refusal(.notFound) }
        if let refusal = admit(
            connection, for: request, requirement: .key(.read), namesProject: false, segment: { nil })
        {
            return .refusal(isAboutNamedKey(refusal, connection) ? refusal : .notFound)
        }
        guard let projects = request.principal?.rights.projects else { return .refusal(.notFound) }
        guard let only = projects.first, projects.count == 1 else {
            return .refusal(Self.severalProjects(projects))
        }
        request.isAtRoot = true
        let segment = Array(PercentEncoding.encode(only.utf8))
        return route(connection, segment: segment[...], target: Self.withoutCredentials(target.from(target.path)))
    }

    /// Returns whether a refusal concerns a named key, whose holder must learn the reason. For any other request, the path
    /// is unknown.
    private func isAboutNamedKey(_ refusal: GatewayError, _ connection: ClientConnection) -> Bool {
        guard refusal.status == 401 else { return true }
        // Only a named key, or an administrator's key, has sessions and tickets.
        if SessionCookie.value(in: connection.head) != nil
            || TicketParameter.value(in: connection.head.target[...]) != nil
        {
            return true
        }
        var known: KnownCredentials?
        return switch Admission.judge(connection.head, snapshot, for: .key(.read), known: &known) {
        case .refused(.mistypedKey), .refused(.expiredKey): true
        default: false
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
            path.first == UInt8(ascii: "/"), !endpoints.isOwn(path)
        else { return nil }
        return endpoints.instanceMethods
    }
}

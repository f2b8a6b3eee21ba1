// SPDX-License-Identifier: Apache-2.0

package import GatewayCore
import HTTPServer
internal import Instances
import OpenCodeFamilies

/// Checks that the sessions and OpenCode projects that a request names belong to the project of its path, if the
/// request's key is limited to projects (``ProjectIsolation``).
///
/// All servers of a user share one database, so a server also responds to requests for other projects' sessions.
package final class ProjectIsolationFeature: LoopFeature {
    private unowned let gateway: GatewayLoop
    private let pinning: DirectoryPinningFeature

    /// Creates the feature of one loop.
    package init(_ gateway: GatewayLoop, pinning: DirectoryPinningFeature) {
        self.gateway = gateway
        self.pinning = pinning
    }
}

extension ProjectIsolationFeature: InstanceRequestHandler {
    /// Looks up the objects that the request names. Returns false if the request names none.
    package func handle(_ request: inout InstanceRequest) -> Bool {
        guard let isolation = request.content?.isolation, !isolation.isEmpty else { return false }
        let route = request.route
        let held = gateway.hold(request)
        pinning.sessions.locate(isolation.sessions, at: route) { [unowned self] locations in
            for session in isolation.sessions {
                switch locations[session] ?? nil {
                case .directory(let directory)? where route.scope?.contains(directory[...]) == true: continue
                // The instance itself responds to a request for a session that does not exist.
                case .nowhere?: continue
                case .directory?: return refuse(held, Self.notFound(session, route.text))
                case nil: return refuse(held, Self.unknown(route.text))
                }
            }
            check(isolation.projects, of: route, held)
        }
        return true
    }

    private func check(_ projects: Set<[UInt8]>, of route: RoutingTable.Route, _ held: HeldRequest) {
        guard !projects.isEmpty else { return serve(held) }
        pinning.sessions.lookUpProject(of: route) { [unowned self] own in
            guard let own else { return refuse(held, Self.unknown(route.text)) }
            guard projects.allSatisfy({ $0.elementsEqual(own.id) }) else {
                return refuse(
                    held, GatewayError(404, "The request names an OpenCode project other than that of \(route.text)."))
            }
            serve(held)
        }
    }

    private func serve(_ held: HeldRequest) {
        if let request = held.release() { gateway.serve(request, after: self) }
    }

    private func refuse(_ held: HeldRequest, _ error: GatewayError) {
        if let request = held.release() { gateway.refuse(request.connection, error) }
    }

    private static func notFound(_ session: [UInt8], _ project: String) -> GatewayError {
        GatewayError(404, "Session not found in project \(project): \(String(decoding: session, as: UTF8.self))")
    }

    private static func unknown(_ project: String) -> GatewayError {
        GatewayError(
            503,
            "OpenCode of project \(project) does not report to which project the named session belongs. Try again in a moment.",
            fields: ["Retry-After": "1"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import OpenCodeFamilies

extension ProjectIsolation.Violation {
    /// Returns the error for a request that names an object outside its project.
    func error(of project: String) -> GatewayError {
        switch self {
        case .ambiguousPath:
            GatewayError(
                403, "The path can be interpreted in too many ways. Send it without encoded or repeated slashes.")
        case .directory:
            GatewayError(
                403, "The request names a directory outside project \(project). Name a directory of this project.")
        case .workspace:
            GatewayError(403, "This key cannot name workspaces. Omit the workspace, or use a key for all projects.")
        case .allProjects:
            GatewayError(
                403,
                "The response would contain data of all projects. Name the OpenCode project of \(project) in the query."
            )
        case .tooManySessions:
            GatewayError(
                403,
                "The request names more than \(ProjectIsolation.mostSessions) sessions. Send several requests.")
        }
    }
}

extension RequestReferences.Failure {
    /// The error for a body in which the gateway cannot find the objects that it names.
    var error: GatewayError {
        switch self {
        case .isTooLong: BodyRule.tooLarge(RequestReferences.longestBody)
        case .isNotJSON, .repeatsName, .hasUnknownShape:
            GatewayError(
                403,
                "This key is limited to projects, so the body must be one JSON object in the form of OpenCode's document, "
                    + "without compression and without repeated names.")
        }
    }
}

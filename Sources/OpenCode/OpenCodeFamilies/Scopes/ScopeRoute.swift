// SPDX-License-Identifier: Apache-2.0

/// A route of OpenCode with the scope that it needs.
package struct ScopeRoute: Sendable {
    /// A method of OpenCode's routes. The method HEAD counts as GET.
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The content of a request or response that the gateway examines in addition to the path.
    package enum Content: Sendable, Equatable {
        /// The gateway examines only the path.
        case unexamined
        /// The request replies to a permission request or a question. For a key below the scope `write`, ``ReplyBody``
        /// examines the request's body.
        case reply(ReplyBody)
        /// The response may contain secrets. For a key below the scope `run`, ``SecretRemoval`` removes the secrets.
        case secrets(SecretDocument)
        /// The response may list other projects. For a key that is limited to projects, ``ProjectList`` filters the
        /// list.
        case projects(ProjectList)
        /// The request belongs to OpenCode's own pairing. The response contains the instance's password.
        case pairing
    }

    /// The method of the route.
    package let method: Method
    /// The path as in OpenCode's API document, such as `/session/{sessionID}`. A final `*` matches any further
    /// segments.
    package let template: String
    /// The families whose instances have this route.
    package let families: Set<APIFamily>
    /// The scope that a request for the route needs.
    package let scope: Scope
    /// The content that the gateway examines.
    package let content: Content
}

extension ScopeRoute: Equatable {
    /// Returns whether two routes have the same method and path.
    package static func == (left: ScopeRoute, right: ScopeRoute) -> Bool {
        left.method == right.method && left.template == right.template
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A route of OpenCode with the scope that it needs.
package struct ScopeRoute: Sendable {
    /// A method of OpenCode's routes. HEAD counts as GET.
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The content of a request or response that the gateway examines besides the path.
    package enum Content: Sendable, Equatable {
        /// The gateway examines only the path.
        case unexamined
        /// The request replies to a permission or a question. Below the scope `write`, ``ReplyBody`` judges its body.
        case reply(ReplyBody)
        /// The response may contain secrets. Below the scope `run`, ``SecretRemoval`` removes them.
        case secrets(SecretDocument)
        /// The response lists other projects. For a key that is limited to projects, ``ProjectList`` filters it.
        case projects(ProjectList)
        /// The request belongs to OpenCode's own pairing, whose response contains the instance's password.
        case pairing
    }

    /// The method of the route.
    package let method: Method
    /// The path in the form of OpenCode's document, such as `/session/{sessionID}`. A final `*` matches any further
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

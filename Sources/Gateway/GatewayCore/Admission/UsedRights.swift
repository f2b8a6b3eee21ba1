// SPDX-License-Identifier: Apache-2.0

package import Access
package import OpenCodeFamilies

/// The rights that an operation uses: a request, a terminal or a chat. An operation ends when its key loses one of
/// these rights.
package struct UsedRights: Sendable {
    /// The projects that an operation concerns.
    package enum Projects: Sendable, Equatable {
        case none
        case one(String)
        /// All projects that the key can open.
        case all
        /// One project, with a request that may also name objects of other projects, because the key could open all
        /// projects.
        case anyObject
    }

    /// The principal that has begun the operation.
    package let principal: Principal
    private let scope: Scope
    private let projects: Projects

    /// Creates a value for an operation that needs this scope in these projects.
    package init(of principal: Principal, scope: Scope, projects: Projects) {
        self.principal = principal
        self.scope = scope
        self.projects = projects
    }

    /// Returns whether the keys still permit the operation.
    ///
    /// An operation on all projects ends with each restriction of its key, because it was begun with the projects of
    /// that time.
    package func arePermitted(by keys: AcceptedKeys) -> Bool {
        guard let rights = keys.rights(of: principal), rights.scope >= scope else { return false }
        return switch projects {
        case .none: true
        case .one(let name): rights.includes(project: name)
        case .all: rights.includes(principal.rights)
        case .anyObject: rights.projects == nil
        }
    }
}

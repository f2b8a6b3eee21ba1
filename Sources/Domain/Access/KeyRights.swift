// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The requests that a key permits: those of a scope, in all projects or in some of them.
package struct KeyRights: Sendable, Equatable {
    /// The scope, which includes all lower scopes.
    package var scope: Scope
    /// The names of the projects that the key can open; nil if it can open all projects.
    package var projects: Set<String>?

    /// Creates rights from a scope and the names of projects.
    package init(_ scope: Scope, projects: Set<String>? = nil) {
        self.scope = scope
        self.projects = projects
    }

    /// The rights of an administrator's secret: everything.
    package static let everything = KeyRights(.admin)

    /// Returns whether the key can open a project.
    package func includes(project: String) -> Bool {
        guard let projects else { return true }
        // Two folders can have names that are canonically equivalent, but consist of different bytes.
        return projects.contains(project) && projects.contains { $0.utf8.elementsEqual(project.utf8) }
    }

    /// Returns whether these rights permit everything that the other rights permit.
    package func includes(_ other: KeyRights) -> Bool { scope >= other.scope && includes(projects: other.projects) }

    /// Returns whether the key can open all of these projects. Pass nil for all projects.
    package func includes(projects others: Set<String>?) -> Bool {
        guard let projects else { return true }
        return others.map { $0.isSubset(of: projects) } ?? false
    }
}

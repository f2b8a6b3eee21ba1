// SPDX-License-Identifier: Apache-2.0

/// A set of permissions: the permissions of a principal, or the permissions that an endpoint requires.
package struct Grant: OptionSet, Sendable, Hashable {
    /// The permissions, one bit for each.
    package let rawValue: UInt8

    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates the union of the elements. Without this initializer, a literal would use the generic initializer of the
    /// standard library. Other modules call this generic initializer without specialization, which costs several
    /// hundred instructions for each request.
    package init(arrayLiteral elements: Grant...) {
        self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue })
    }

    /// Permission to list projects and read the state of their instances.
    package static let readProjects = Grant(rawValue: 1)
    /// Permission to start and stop instances.
    package static let controlInstances = Grant(rawValue: 2)
    /// Permission to send requests to instances.
    package static let useInstances = Grant(rawValue: 4)

    /// All permissions, which every key has.
    package static let everything: Grant = [.readProjects, .controlInstances, .useInstances]
}

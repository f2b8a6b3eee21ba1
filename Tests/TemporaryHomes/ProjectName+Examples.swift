// SPDX-License-Identifier: Apache-2.0

package import Projects

extension ProjectName {
    /// The first example of a project.
    package static let alpha = named("alpha")
    /// The second example of a project.
    package static let beta = named("beta")
    /// The third example of a project.
    package static let gamma = named("gamma")

    private static func named(_ text: String) -> ProjectName {
        guard let name = ProjectName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Projects

extension ProjectName {
    /// A project.
    package static let alpha = named("alpha")
    /// Another one.
    package static let beta = named("beta")
    /// A third one.
    package static let gamma = named("gamma")

    private static func named(_ text: String) -> ProjectName {
        guard let name = ProjectName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }
}

/// What a caller may do, and what an endpoint wants its callers to be allowed.
package struct Grant: OptionSet, Sendable, Hashable {
    /// One bit for each thing.
    package let rawValue: UInt8

    /// What these bits stand for.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the options stand for together. Without it a literal is made by the standard library's generic initializer, which other
    /// modules call unspecialised: some hundred instructions, on each request's way.
    package init(arrayLiteral elements: Grant...) {
        self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue })
    }

    /// See which projects there are and how their instances are.
    package static let readProjects = Grant(rawValue: 1)
    /// Start and stop instances.
    package static let controlInstances = Grant(rawValue: 2)
    /// Send requests to instances.
    package static let useInstances = Grant(rawValue: 4)

    /// All of it: what every key opens.
    package static let everything: Grant = [.readProjects, .controlInstances, .useInstances]
}

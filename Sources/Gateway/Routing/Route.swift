internal import Projects

/// What a request asks for: method and raw path mapped to one case.
enum Route: Equatable {
    case health
    case apiDescription
    case documentation
    case projects
    case start(ProjectName)
    case stop(ProjectName)
    case status(ProjectName)
    /// To a project's instance: the project's name as it stands in the path, not decoded and not checked, and the
    /// target that the instance gets.
    case proxy(segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>)
    /// A path under `/projects/` whose name cannot be a project's; the name as it came.
    case unknownProject(String)
    case notFound
    /// The path is known, the method is not its own; the value of the Allow field (RFC 9110 §10.2.1).
    case methodNotAllowed(allow: String)
}

/// The question to an instance which directory one session belongs to.
package enum SessionLookup {
    private static let places = JSONPlaces("directory", "data.location.directory")

    /// The path that is asked; nil for what can be no session's id.
    package static func path(of session: [UInt8], for family: APIFamily?) -> [UInt8]? {
        guard SessionIdentifier.isValid(session) else { return nil }
        switch family {
        case .two: return Array("/api/session/".utf8) + session
        case .one, nil: return Array("/session/".utf8) + session
        }
    }

    /// What the answer says; nil where it says nothing: the instance may be asked again.
    package static func place(status: Int, body: [UInt8], for family: APIFamily?) -> SessionDirectories.Place? {
        switch status {
        case 200:
            let wanted = family == .two ? 1 : 0
            let finding = JSONStringReader.findings(in: body, places).first { $0.place == wanted }
            return finding?.text.flatMap { $0.isEmpty ? nil : .directory($0) }
        case 404: return .nowhere
        default: return nil
        }
    }
}

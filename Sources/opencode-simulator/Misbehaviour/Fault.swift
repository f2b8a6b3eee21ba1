/// A way to break the answer to a request.
struct Fault: Sendable, Equatable {
    /// What goes wrong. Event streams know only those that can go wrong with them.
    enum Kind: String, Sendable, CaseIterable {
        case hangBeforeHead = "hang-before-head"
        case closeBeforeHead = "close-before-head"
        case hangAfterHead = "hang-after-head"
        /// Half of the body, or a stream's first event, then FIN.
        case closeInBody = "close-in-body"
        /// The same, then RST.
        case resetInBody = "reset-in-body"
        /// More is promised than comes.
        case bodyTooShort = "body-too-short"
        /// More comes than is promised.
        case bodyTooLong = "body-too-long"

        var help: String {
            switch self {
            case .hangBeforeHead: "take the request and answer nothing"
            case .closeBeforeHead: "take the request and close the connection"
            case .hangAfterHead: "answer a head and nothing more"
            case .closeInBody: "close in the middle of the body, or after a stream's first event"
            case .resetInBody: "the same with a reset"
            case .bodyTooShort: "promise ten bytes more than come"
            case .bodyTooLong: "send ten bytes more than are promised"
            }
        }
    }

    let kind: Kind
    /// The beginning of the paths that it is for.
    let path: String

    /// The paths of the question whether the server is well.
    private static let healthPaths = ["/global/health", "/api/info"]

    /// Whether it is for a path. Health is spared unless it is named.
    func applies(to path: String) -> Bool {
        path.hasPrefix(self.path) && (self.path != "/" || !Fault.healthPaths.contains(path))
    }
}

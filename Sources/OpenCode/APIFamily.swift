/// Which of OpenCode's two HTTP APIs an instance speaks. They live side by side for good: OpenCode 2 is no newer version of
/// 1's API but another one.
package enum APIFamily: String, Sendable, CaseIterable {
    /// OpenCode 1.x: its routes stand at the root, `GET /global/health` tells whether it is ready.
    case one = "1"
    /// OpenCode 2.x: its routes stand below `/api`, every other GET is answered with its web page.
    case two = "2"
}

extension APIFamily {
    /// The family of a version such as `1.18.33` or `2.0.0-beta.1`; nil where that can't be told, as of a development build.
    package init?(version: String) {
        switch version.prefix(while: { $0 != "." }) {
        case "1": self = .one
        case "2": self = .two
        default: return nil
        }
    }
}

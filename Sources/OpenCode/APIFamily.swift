/// Which of OpenCode's two HTTP APIs an instance speaks. They live side by side for good: OpenCode 2 is no newer version of
/// 1's API but another one.
package enum APIFamily: String, Sendable, CaseIterable {
    /// OpenCode 1.x: its routes stand at the root, `GET /global/health` tells whether it is ready.
    case one = "1"
    /// OpenCode 2.x: its routes stand below `/api`, every other GET is answered with its web page.
    case two = "2"
}

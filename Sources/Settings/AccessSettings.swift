/// Who may ask, besides the key.
package struct AccessSettings: Sendable, Equatable {
    /// Web origins whose pages may read answers.
    package internal(set) var origins: [WebOrigin] = []
}

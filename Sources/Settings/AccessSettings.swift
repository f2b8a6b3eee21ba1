package import Addresses

/// Who may ask, besides the key.
package struct AccessSettings: Sendable, Equatable {
    /// Web origins whose pages may read answers.
    package internal(set) var origins: [WebOrigin] = []
    /// Reverse proxies whose word about their clients is believed.
    package internal(set) var trustedProxies: [AddressRange] = []
    /// Wrong keys in a row that one address may send; 0: any number.
    package internal(set) var failedTries = 0
    /// The time after which it may send one more.
    package internal(set) var failedTryInterval = Duration.zero
}

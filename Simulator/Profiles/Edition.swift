// SPDX-License-Identifier: Apache-2.0

/// A version of OpenCode 1 or OpenCode 2 that the simulator can simulate.
enum Edition: Sendable {
    case one(Profile)
    case two(Profile2)

    static var all: [Edition] { Profile.all.map(Edition.one) + [.two(.recorded)] }

    /// Returns the edition of a version; nil if the version is unknown. If `version` is nil, returns the default
    /// edition.
    static func chosen(_ version: String?) -> Edition? {
        guard let version else { return .one(.newest) }
        return all.first { $0.version == version }
    }

    var version: String {
        switch self {
        case .one(let profile): profile.version
        case .two(let profile): profile.version
        }
    }

    var start: Profile.Start {
        switch self {
        case .one(let profile): profile.start
        case .two(let profile): profile.start
        }
    }
}

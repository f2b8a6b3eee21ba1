/// A version of OpenCode that the simulator can play, by the API that it speaks.
enum Edition: Sendable {
    case one(Profile)
    case two(Profile2)

    static var all: [Edition] { Profile.all.map(Edition.one) + [.two(.recorded)] }

    /// The version's edition, the default one for nil; nil for a version that is not known.
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

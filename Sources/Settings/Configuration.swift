internal import Addresses
package import Logging

/// Everything that is set, typed and checked. Made by `Settings`, whose table gives every field its value.
package struct Configuration: Sendable {
    /// Where clients connect.
    package internal(set) var listen = ListenAddress(host: "", port: 0)
    /// The address that clients use; nil where it is not told.
    package internal(set) var publicURL: PublicURL?
    /// The absolute path of the folder whose sub-folders are the projects.
    package internal(set) var home = ""
    /// The absolute path of the folder for what outlasts the gateway.
    package internal(set) var stateFolder = ""
    /// The program that serves a project, with its first arguments.
    package internal(set) var opencode: [String] = []
    /// Who starts and stops instances.
    package internal(set) var supervisor = SupervisorChoice.auto
    /// Whose service manager runs instances, if one does.
    package internal(set) var scope = ScopeChoice.user
    /// Data-plane loops.
    package internal(set) var threads = 0
    /// The configuration file in force; nil where there is none.
    package internal(set) var configurationFile: String?
    /// The key from the environment or the configuration file.
    package internal(set) var authSecret: Secret?
    /// The file with further keys.
    package internal(set) var keyFile: String?
    /// All keys that open the gateway, wherever they came from.
    package internal(set) var keys: [NamedKey] = []
    /// Who may ask, besides the keys.
    package internal(set) var access = AccessSettings()
    /// What instances run with, and how they are watched.
    package internal(set) var instances = InstanceSettings()
    /// What is kept of what instances say.
    package internal(set) var events = EventSettings()
    /// Where chats are talked.
    package internal(set) var chat = ChatSettings()
    /// Which folders are projects, and what requests may name.
    package internal(set) var projects = ProjectSettings()
    /// Whether the gateway logs one line for each request.
    package internal(set) var accessLog = false
    /// The form of log lines.
    package internal(set) var logFormat = LogFormatChoice.auto
    /// The minimum log level.
    package internal(set) var logLevel = LogLevel.info
    /// Deadlines and sizes.
    package internal(set) var limits = Limits()
    /// Sentences about what was given but has no effect, such as an unknown `VIBE_` name in the environment.
    package internal(set) var notices: [String] = []

    var origins: [String: SettingOrigin] = [:]

    /// Where a setting's value came from.
    package func origin(of setting: Setting) -> SettingOrigin {
        origins[setting.name] ?? .default
    }
}

/// Where a setting's value came from, in rising precedence.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The table's default.
    case `default`
    /// The configuration file, under that name on that line.
    case file(path: String, line: Int, name: String)
    /// The environment, under that name.
    case environment(String)
    /// The command line, by that flag.
    case flag(String)

    /// `default`, `file /etc/viberemote-gateway/config, line 3`, `environment VIBE_LISTEN` or `flag --listen`.
    package var description: String {
        switch self {
        case .default: "default"
        case .file(let path, let line, _): "file \(path), line \(line)"
        case .environment(let name): "environment \(name)"
        case .flag(let flag): "flag \(flag)"
        }
    }
}

/// What is right in each setting alone and not in all of them together.
extension Configuration {
    /// Settings that contradict each other, one sentence each; those in `wrong` have been told already and hold a default.
    func contradictions(leavingOut wrong: Set<String>) -> [SettingError] {
        delayContradictions(wrong) + chatContradictions(wrong)
    }

    private func delayContradictions(_ wrong: Set<String>) -> [SettingError] {
        let names = ["restart-delay", "max-restart-delay"]
        guard instances.restartDelay > instances.maxRestartDelay, wrong.isDisjoint(with: names) else { return [] }
        let places = names.compactMap { name in
            Settings.table.first { $0.name == name }.map { "\($0.source(origin(of: $0))) \($0.text(in: self))" }
        }
        return [
            SettingError(
                "\(places.joined(separator: " is longer than ")): make the first delay shorter or the longest one longer."
            )
        ]
    }

    /// Sentences about what is allowed and hardly meant.
    var cautions: [String] { proxyCautions + chatCautions }

    private var proxyCautions: [String] {
        let everybody = access.trustedProxies.filter { $0.length == 0 }
        guard !everybody.isEmpty, let setting = Settings.table.first(where: { $0.name == "trust-proxy" }) else {
            return []
        }
        return everybody.map { range in
            "\(setting.source(origin(of: setting))) \(range) has every client believed who says that it is a proxy, so that "
                + "the log and the count of wrong keys can be deceived: name your proxies' own addresses."
        }
    }
}

package import Logging

/// Everything that is set, typed and checked. Made by `Settings`, whose table gives every field its value.
package struct Configuration: Sendable {
    /// Where clients connect.
    package internal(set) var listen = ListenAddress(host: "", port: 0)
    /// The absolute path of the folder whose sub-folders are the projects.
    package internal(set) var home = ""
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
    /// Which folders are projects, and what requests may name.
    package internal(set) var projects = ProjectSettings()
    /// Whether each request gets a log line.
    package internal(set) var accessLog = false
    /// The form of log lines.
    package internal(set) var logFormat = LogFormatChoice.auto
    /// The least grave level that is logged.
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

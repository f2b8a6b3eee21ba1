// SPDX-License-Identifier: Apache-2.0

internal import Addresses
package import Logging

/// All configured values, typed and validated. `Settings` creates it, and its table gives every field its value.
package struct Configuration: Sendable {
    /// The address where clients connect.
    package internal(set) var listen = ListenAddress(host: "", port: 0)
    /// The address that clients use; nil where it is not configured.
    package internal(set) var publicURL: PublicURL?
    /// The absolute path of the folder whose sub-folders are the projects.
    package internal(set) var home = ""
    /// The absolute path of the folder for persistent data.
    package internal(set) var stateFolder = ""
    /// The program that serves a project, with its first arguments.
    package internal(set) var opencode: [String] = []
    /// The supervisor that starts and stops instances.
    package internal(set) var supervisor = SupervisorChoice.auto
    /// The service manager's scope, if a service manager runs instances.
    package internal(set) var scope = ScopeChoice.user
    /// The number of data-plane loops.
    package internal(set) var threads = 0
    /// The configuration file in force; nil where there is none.
    package internal(set) var configurationFile: String?
    /// The key from the environment or the configuration file.
    package internal(set) var authSecret: Secret?
    /// The path of the file with further keys.
    package internal(set) var keyFile: String?
    /// All valid keys of the gateway, from every source.
    package internal(set) var keys: [NamedKey] = []
    /// The rules for access, besides the keys.
    package internal(set) var access = AccessSettings()
    /// The options for instances, and for monitoring them.
    package internal(set) var instances = InstanceSettings()
    /// The options for storing instances' events.
    package internal(set) var events = EventSettings()
    /// The listeners for chats and conversations.
    package internal(set) var chat = ChatSettings()
    /// The rules about folders that are projects, and about the content of requests.
    package internal(set) var projects = ProjectSettings()
    /// Whether the gateway logs one line for each request.
    package internal(set) var accessLog = false
    /// The format of log lines.
    package internal(set) var logFormat = LogFormatChoice.auto
    /// The minimum level of log lines.
    package internal(set) var logLevel = LogLevel.info
    /// The limits for times and sizes.
    package internal(set) var limits = Limits()
    /// Sentences about values without an effect, such as an unknown `VIBE_` name in the environment.
    package internal(set) var notices: [String] = []

    var origins: [String: SettingOrigin] = [:]

    /// Returns where a setting's value came from.
    package func origin(of setting: Setting) -> SettingOrigin {
        origins[setting.name] ?? .default
    }
}

/// The source of a setting's value, in rising precedence.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The default value of the table.
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

/// The checks of valid settings that are invalid in combination.
extension Configuration {
    /// Returns settings that contradict each other, one sentence each; those in `wrong` were already reported and have
    /// their default value.
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
                "\(places.joined(separator: " is longer than ")): shorten --restart-delay or raise --max-restart-delay."
            )
        ]
    }

    /// Sentences about values that are valid but probably unintended.
    var cautions: [String] { proxyCautions + chatCautions }

    private var proxyCautions: [String] {
        let everybody = access.trustedProxies.filter { $0.length == 0 }
        guard !everybody.isEmpty, let setting = Settings.table.first(where: { $0.name == "trust-proxy" }) else {
            return []
        }
        return everybody.map { range in
            "\(setting.source(origin(of: setting))) \(range) trusts every client, so every client can "
                + "forge its address in the log and in the count of wrong keys: set it to the addresses of your proxies."
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Addresses
package import Logging

/// All configured values, typed and validated. `SettingSources` sets each field according to the table of settings.
package struct Configuration: Sendable {
    /// The address on which the gateway accepts clients.
    package internal(set) var listen = ListenAddress(host: "", port: 0)
    /// The address that clients use; nil if it is not configured.
    package internal(set) var publicURL: PublicURL?
    /// The absolute path of the home directory, whose subfolders are the projects.
    package internal(set) var home = ""
    /// The absolute path of the state directory, which contains persistent data.
    package internal(set) var stateFolder = ""
    /// The program that serves a project, with its first arguments.
    package internal(set) var opencode: [String] = []
    /// The supervisor that starts and stops instances.
    package internal(set) var supervisor = SupervisorChoice.auto
    /// The scope of the service manager, if a service manager runs instances.
    package internal(set) var scope = ScopeChoice.user
    /// The number of data-plane loops.
    package internal(set) var threads = 0
    /// The path of the configuration file in use; nil if there is none.
    package internal(set) var configurationFile: String?
    /// The key from the environment or the configuration file.
    package internal(set) var authSecret: Secret?
    /// The path of the file with further keys; nil if there is none.
    package internal(set) var keyFile: String?
    /// All valid keys of the gateway, from every source.
    package internal(set) var keys: [NamedKey] = []
    /// The access rules that apply in addition to the keys.
    package internal(set) var access = AccessSettings()
    /// The options for instances, and for monitoring them.
    package internal(set) var instances = InstanceSettings()
    /// The options for storing instances' events.
    package internal(set) var events = EventSettings()
    /// The additional listeners for chats and conversations.
    package internal(set) var chat = ChatSettings()
    /// The settings that determine which folders are projects, and which requests to projects are accepted.
    package internal(set) var projects = ProjectSettings()
    /// Whether the gateway logs one line for each request.
    package internal(set) var accessLog = false
    /// The format of log lines.
    package internal(set) var logFormat = LogFormatChoice.auto
    /// The minimum log level.
    package internal(set) var logLevel = LogLevel.info
    /// The limits for durations and sizes.
    package internal(set) var limits = Limits()
    /// Messages about values that need attention, such as an unknown `VIBE_` name in the environment.
    package internal(set) var notices: [String] = []

    var origins: [String: SettingOrigin] = [:]

    /// The absolute path of the directory that contains each project's own OpenCode data; nil if the projects share
    /// OpenCode's data.
    package var isolatedData: String? { instances.isolatesSessions ? stateFolder + "/data" : nil }

    /// Returns the source of a setting's value.
    package func origin(of setting: Setting) -> SettingOrigin {
        origins[setting.name] ?? .default
    }
}

/// The source of a setting's value. Later cases take precedence over earlier cases.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The default value in the table of settings.
    case `default`
    /// The configuration file, with the assignment's line and name.
    case file(path: String, line: Int, name: String)
    /// The environment, with the variable's name.
    case environment(String)
    /// The command line, with the flag.
    case flag(String)

    /// The source as text: `default`, `file /etc/viberemote-gateway/config, line 3`, `environment VIBE_LISTEN` or `flag
    /// --listen`.
    package var description: String {
        switch self {
        case .default: "default"
        case .file(let path, let line, _): "file \(path), line \(line)"
        case .environment(let name): "environment \(name)"
        case .flag(let flag): "flag \(flag)"
        }
    }
}

/// Checks settings that are valid on their own but invalid in combination.
extension Configuration {
    /// Returns one error for each contradiction between settings. Settings in `wrong` were already reported and have
    /// their default value.
    func contradictions(leavingOut wrong: Set<String>) -> [SettingError] {
        delayContradictions(wrong) + chatContradictions(wrong)
    }

    private func delayContradictions(_ wrong: Set<String>) -> [SettingError] {
        let names = ["restart-delay", "max-restart-delay"]
        guard instances.restartDelay > instances.maxRestartDelay, wrong.isDisjoint(with: names) else { return [] }
        let sources = names.compactMap { name in
            Settings.table.first { $0.name == name }.map { "\($0.source(origin(of: $0))) \($0.text(in: self))" }
        }
        return [
            SettingError(
                "\(sources.joined(separator: " is longer than ")): shorten --restart-delay or raise --max-restart-delay."
            )
        ]
    }

    /// Warnings about values that are valid but probably unintended.
    var cautions: [String] { proxyCautions + identityCautions + chatCautions }

    /// The notices about `--identity-header`. A client in a trusted network can send any identity, so the network should
    /// contain only the proxies.
    private var identityCautions: [String] {
        guard let name = access.identityHeader,
            let setting = Settings.table.first(where: { $0.name == "identity-header" }),
            let proxies = Settings.table.first(where: { $0.name == "trust-proxy" })
        else { return [] }
        let source = setting.source(origin(of: setting))
        guard !access.trustedProxies.isEmpty else {
            return [
                "\(source) \(name) has no effect, because --trust-proxy names no proxy: set --trust-proxy to the addresses of "
                    + "your proxies."
            ]
        }
        let wide = access.trustedProxies.filter { ($0.first.isIPv4 ? 32 : 128) - $0.length > 8 && $0.length > 0 }
        let local = access.trustedProxies.filter { range in
            IPAddress("127.0.0.1").map(range.contains) == true || IPAddress("::1").map(range.contains) == true
        }
        let localNotices = local.map { range in
            "\(proxies.source(origin(of: proxies))) \(range) contains this machine, so every local user can sign in as any user "
                + "(\(name)): run the gateway on a machine without other users."
        }
        return localNotices
            + wide.map { range in
                "\(proxies.source(origin(of: proxies))) \(range) contains more than 256 addresses, and each of them can sign in as any "
                    + "user (\(name)): set it to the addresses of your proxies."
            }
    }

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

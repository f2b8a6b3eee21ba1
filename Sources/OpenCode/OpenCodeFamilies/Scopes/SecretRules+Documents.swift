// SPDX-License-Identifier: Apache-2.0

// The rules for each kind of response, from the API documents of 1.0.223, 1.1.11, 1.2.27, 1.18.3, 1.18.33 and 2.0.15.
// The recorded responses contain secrets in these members: `provider.mock.options.apiKey` in `/config` (1.18.33),
// `providers[].options.apiKey` in `/config/providers` (1.1.11, 1.2.27 and 1.18.33), and
// `[].info.providers.mock.settings.apiKey` in `/api/config` (2.0.15).
extension SecretRules {
    /// The options of an OpenCode 1 provider whose values are times and switches. The API document also names the
    /// options `apiKey`, `baseURL` and `enterpriseUrl`, and permits any other member.
    private static let providerOptions: MemberNames = ["timeout", "headerTimeout", "chunkTimeout", "setCacheKey"]

    /// The members of an MCP server's time limits.
    private static let timeouts: MemberNames = ["startup", "catalog", "execution"]

    /// The members of a model in three formats: the format of OpenCode 1's configuration and of models.dev, the format
    /// of `/config/providers`, and the format of the routes below `/api`.
    private static let model: MemberNames = [
        "id", "name", "family", "release_date", "attachment", "reasoning", "temperature", "tool_call", "interleaved",
        "cost", "limit", "modalities", "experimental", "status", "provider", "options", "headers", "variants",
        "providerID", "api", "capabilities", "modelID", "canonical", "compatibility", "package", "settings", "body",
        "time", "enabled", "disabled", "request",
    ]

    private typealias Rules = [(path: String, treatment: Treatment)]

    // MARK: Rules for parts of documents

    /// Returns the rules for a model at a path. OpenCode sends the model's headers, bodies and options to the provider,
    /// so they may contain secrets.
    private static func model(at path: String) -> Rules {
        [
            (path, .only(model)), ("\(path).options", .cleared), ("\(path).headers", .cleared),
            ("\(path).settings", .cleared), ("\(path).body", .cleared), ("\(path).provider", .only(["npm", "api"])),
            ("\(path).provider.api", .origin), ("\(path).provider.npm", .origin), ("\(path).package", .origin),
            ("\(path).api", .only(["id", "type", "package", "npm", "url"])),
            ("\(path).api.url", .origin), ("\(path).api.npm", .origin), ("\(path).api.package", .origin),
            // OpenCode 1 returns the variants as an object, and the routes below `/api` return them as a list.
            ("\(path).variants.*", .plain(["disabled"])),
            ("\(path).variants[]", .only(["id", "settings", "headers", "body"])),
            ("\(path).variants[].settings", .cleared), ("\(path).variants[].headers", .cleared),
            ("\(path).variants[].body", .cleared),
        ] + request(at: "\(path).request")
    }

    /// Returns the rules for the values that an agent, a model or a provider adds to requests.
    private static func request(at path: String) -> Rules {
        [
            (path, .only(["settings", "headers", "body", "variant"])), ("\(path).settings", .cleared),
            ("\(path).headers", .cleared), ("\(path).body", .cleared),
        ]
    }

    /// Returns the rules for the MCP servers at a path. The command line and the URL of an MCP server often contain its
    /// key.
    private static func servers(at path: String) -> Rules {
        [
            (
                path,
                .only(["type", "command", "cwd", "url", "enabled", "disabled", "codemode", "timeout", "protocol"])
            ),
            ("\(path).command", .cleared), ("\(path).url", .origin), ("\(path).timeout", .plain(timeouts)),
        ]
    }

    /// Returns the rules for the formatters and language servers at a path. The API document requires the command of a
    /// language server. The environment of a formatter or language server, and the settings of a language server, have
    /// arbitrary members.
    private static func tools(at path: String) -> Rules {
        [(path, .only(["disabled", "command", "extensions"])), ("\(path).command", .cleared)]
    }

    /// Returns the rules for the references at a path. A reference names a directory or a repository.
    private static func references(at path: String) -> Rules {
        [
            (path, .origin), (path, .only(["repository", "branch", "path", "description", "hidden"])),
            ("\(path).repository", .origin),
        ]
    }

    // MARK: Documents

    /// OpenCode 1's configuration.
    static let configuration = SecretRules(
        [
            (
                "",
                .only([
                    "$schema", "theme", "keybinds", "tui", "shell", "logLevel", "server", "command", "skills",
                    "references", "reference", "watcher", "snapshot", "plugin", "share", "autoshare", "autoupdate",
                    "disabled_providers", "enabled_providers", "model", "small_model", "default_agent",
                    "subagent_depth", "username", "mode", "agent", "provider", "mcp", "formatter", "lsp",
                    "instructions", "layout", "permission", "tools", "attachment", "enterprise", "tool_output",
                    "compaction", "experimental",
                ])
            ),
            ("server", .only(["port", "hostname", "mdns", "mdnsDomain", "cors"])),
            ("command.*", .only(["template", "description", "agent", "model", "variant", "subtask"])),
            ("skills", .only(["paths", "urls"])), ("skills.urls[]", .origin), ("instructions[]", .origin),
            // A plug-in is either a package, or a list that contains the package and its options.
            ("plugin[]", .origin), ("plugin[][]", .origin), ("enterprise", .only(["url"])),
            ("enterprise.url", .origin),
            // 1.0.223 has the members `hook.*[].environment`. The other members are switches and names.
            (
                "experimental",
                .only([
                    "chatMaxRetries", "disable_paste_summary", "batch_tool", "openTelemetry", "primary_tools",
                    "continue_loop_on_deny", "mcp_timeout", "policies",
                ])
            ),
            (
                "provider.*",
                .only(["api", "name", "env", "id", "npm", "whitelist", "blacklist", "options", "models"])
            ),
            ("provider.*.api", .origin), ("provider.*.npm", .origin), ("provider.*.options", .plain(providerOptions)),
        ] + agents(at: "agent.*") + agents(at: "mode.*") + model(at: "provider.*.models.*") + servers(at: "mcp.*")
            + tools(at: "formatter.*") + tools(at: "lsp.*") + references(at: "references.*")
            + references(at: "reference.*"))

    /// Returns the rules for OpenCode 1's agents at a path. OpenCode sends the options, and unknown members of the
    /// agent's configuration, to the provider.
    private static func agents(at path: String) -> Rules {
        [
            (
                path,
                .only([
                    "name", "model", "variant", "temperature", "top_p", "topP", "prompt", "tools", "disable",
                    "description", "mode", "native", "hidden", "default", "options", "color", "steps", "maxSteps",
                    "permission",
                ])
            ),
            ("\(path).options", .cleared), ("\(path).model", .origin),
            ("\(path).model", .only(["modelID", "providerID"])),
        ]
    }

    /// OpenCode 1's agents, with their settings from the configuration.
    static let agents = SecretRules(agents(at: "[]"))

    /// OpenCode 1's providers. `/provider` has the list `all`, and `/config/providers` has the list `providers`.
    static let providers = SecretRules(
        [("", .only(["all", "providers", "default", "connected"]))] + provider(at: "all[]")
            + provider(at: "providers[]"))

    /// Returns the rules for a provider at a path. The API document also describes the member `key`, which the rules
    /// remove.
    private static func provider(at path: String) -> Rules {
        [
            (path, .only(["id", "name", "source", "env", "options", "models", "api", "npm"])),
            ("\(path).api", .origin), ("\(path).npm", .origin), ("\(path).options", .plain(providerOptions)),
        ] + model(at: "\(path).models.*")
    }

    /// OpenCode 2's configuration: a list of documents, and of the directories in which OpenCode found the documents.
    static let configurationDocuments = SecretRules(
        [
            ("[]", .only(["type", "path", "info"])),
            (
                "[].info",
                .only([
                    "$schema", "shell", "model", "default_agent", "update", "share", "enterprise", "username",
                    "permissions", "agents", "snapshots", "watcher", "formatter", "lsp", "media", "tool_output", "mcp",
                    "compaction", "skills", "commands", "instructions", "references", "websearch", "plugins",
                    "worktree", "warming", "providers", "experimental",
                ])
            ),
            ("[].info.enterprise", .only(["url"])), ("[].info.enterprise.url", .origin),
            (
                "[].info.agents.*",
                .only([
                    "model", "request", "system", "description", "mode", "hidden", "color", "steps", "disabled",
                    "permissions",
                ])
            ),
            ("[].info.mcp", .only(["timeout", "servers"])), ("[].info.mcp.timeout", .plain(timeouts)),
            ("[].info.skills[]", .origin), ("[].info.instructions[]", .origin),
            (
                "[].info.commands.*",
                .only(["template", "description", "agent", "model", "subagent", "subtask"])
            ),
            ("[].info.plugins[]", .origin), ("[].info.plugins[]", .only(["package", "options"])),
            ("[].info.plugins[].package", .origin), ("[].info.plugins[].options", .cleared),
            ("[].info.websearch", .only(["provider"])), ("[].info.worktree", .only(["directory"])),
            (
                "[].info.experimental",
                .only(["portable_shell_scanner", "subagent_depth", "policies"])
            ),
            (
                "[].info.providers.*",
                .only(["canonical", "name", "env", "package", "settings", "headers", "body", "models"])
            ),
            ("[].info.providers.*.package", .origin), ("[].info.providers.*.settings", .cleared),
            ("[].info.providers.*.headers", .cleared),
            ("[].info.providers.*.body", .cleared),
        ] + request(at: "[].info.agents.*.request") + servers(at: "[].info.mcp.servers.*")
            + tools(at: "[].info.formatter.*") + tools(at: "[].info.lsp.*") + references(at: "[].info.references.*")
            + model(at: "[].info.providers.*.models.*"))

    /// The lists and entries below `/api`. The member `data` is a list or a single entry.
    static let data = SecretRules(
        [("", .only(["location", "data"])), ("location", .only(["directory", "workspaceID", "project"]))]
            + entry(at: "data[]") + entry(at: "data"))

    /// Returns the rules for an entry at a path. The entry is one of the objects that ``SecretDocument/data``
    /// describes.
    private static func entry(at path: String) -> Rules {
        model(at: path) + [
            (
                path,
                .only(
                    model.union([
                        // Providers.
                        "integrationID", "activation",
                        // Agents.
                        "model", "system", "description", "mode", "hidden", "color", "steps", "permissions",
                        // Integrations. Their metadata is omitted, because it has arbitrary members.
                        "methods", "connections",
                        // References.
                        "path", "source",
                        // Plug-ins.
                        "features", "state",
                    ]))
            ),
            ("\(path).model", .only(["id", "providerID", "variant"])),
            // In 1.18, a provider's settings are a member of `api`.
            ("\(path).api", .only(["id", "type", "package", "url", "settings"])), ("\(path).api.settings", .cleared),
            (
                "\(path).source",
                .only([
                    "type", "path", "repository", "branch", "description", "hidden", "target", "version", "outdated",
                    "updating",
                ])
            ),
            ("\(path).source.repository", .origin), ("\(path).source.target", .origin),
            // The message of a failed plug-in may contain the address of its package.
            ("\(path).state.error", .origin),
        ]
    }

    /// An error response. The message of the error may contain the text of a broken configuration file, as in 1.1.11 to
    /// 1.18.33 (`--- JSONC Input ---`).
    static let error = SecretRules([("", .only(["name", "_tag"]))])
}

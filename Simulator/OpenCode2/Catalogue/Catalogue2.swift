// SPDX-License-Identifier: Apache-2.0

/// The agents, models and other resources that OpenCode 2 has loaded for a directory. The members are in the recorded
/// format. If a recorded list was empty, its members follow the API document.
struct Catalogue2 {
    /// Whether the directory's catalogue is loaded. Before it is loaded, the catalogue is empty.
    let isLoaded: Bool
    let configuration: Configuration2

    /// The first plugins in the recorded list.
    private static let builtIn = [
        "opencode.tool.input.repair", "opencode.config.worktree", "opencode.browser", "opencode.config.mcp",
        "opencode.mcp.codemode.exclusion", "opencode.wellknown", "opencode.vcs.git", "opencode.agent",
        "opencode.plan", "opencode.command",
    ]

    var agents: [JSON] {
        guard isLoaded else { return [] }
        return [
            agent("build", "The default agent. Executes tools based on configured permissions.", mode: "primary"),
            agent("plan", "Plan mode. Disallows all edit tools.", mode: "primary", more: [rule("edit", "deny")]),
            agent("general", "For research and for tasks of several steps.", mode: "subagent"),
            agent("explore", "For finding one's way in a codebase.", mode: "subagent", more: [rule("edit", "deny")]),
        ]
    }

    /// The models; empty if a configuration file is broken.
    var models: [JSON] { isLoaded && !configuration.isBroken ? Scenario.allCases.map(model) : [] }

    /// The model of sessions that name no model.
    var defaultModel: JSON { models.first ?? .null }

    var providers: [JSON] {
        guard isLoaded, !configuration.isBroken else { return [] }
        return [
            [
                "id": "simulator", "name": "Simulator", "activation": "enabled",
                "package": "aisdk:@ai-sdk/openai-compatible",
                "settings": ["apiKey": "not-a-secret"],
            ]
        ]
    }

    var commands: [JSON] {
        guard isLoaded else { return [] }
        return [
            ["name": "init", "description": "guided AGENTS.md setup"],
            ["name": "review", "description": "review changes [commit|branch|pr], defaults to uncommitted"],
        ]
    }

    var skills: [JSON] {
        guard isLoaded else { return [] }
        return [
            [
                "id": "opencode", "name": "OpenCode", "description": "For questions about OpenCode itself.",
                "path": "/builtin/opencode.md", "content": "# OpenCode\n",
            ]
        ]
    }

    var plugins: [JSON] {
        guard isLoaded else { return [] }
        return Catalogue2.builtIn.map {
            [
                "id": .string($0), "source": ["type": "builtin"], "features": ["server": true],
                "state": ["status": "active"],
            ]
        }
    }

    private func agent(_ id: String, _ description: String, mode: String, more: [JSON] = []) -> JSON {
        [
            "id": .string(id), "name": .string(id.prefix(1).uppercased() + id.dropFirst()),
            "request": ["settings": [:], "headers": [:], "body": [:]], "description": .string(description),
            "mode": .string(mode), "hidden": false,
            "permissions": .array([rule("*", "allow"), rule("shell", "ask")] + more),
        ]
    }

    private func rule(_ action: String, _ effect: String) -> JSON {
        ["action": .string(action), "resource": "*", "effect": .string(effect)]
    }

    private func model(_ scenario: Scenario) -> JSON {
        [
            "id": .string(scenario.rawValue), "modelID": .string(scenario.rawValue), "providerID": "simulator",
            "name": .string(scenario.title), "package": "aisdk:@ai-sdk/openai-compatible",
            "capabilities": ["tools": true, "input": ["text"], "output": ["text"]], "variants": [],
            "time": ["released": 0], "cost": [], "status": "active", "enabled": true,
            "limit": ["context": 0, "output": 0],
        ]
    }
}

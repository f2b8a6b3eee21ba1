// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes for an instance's agents, commands, models and other data.
    static let catalogue: [BridgeRoute] = [
        BridgeRoute(.get, "/global/health") { bridge, _, _ in
            ClientAnswer(["healthy": true, "version": .string(bridge.defaults.version)])
        },
        BridgeRoute(.get, "/doc") { _, _, _ in ClientAnswer(200, bytes: OpenCode1Document.bytes) },
        BridgeRoute(.post, "/log") { bridge, _, request in bridge.log(request) },
        BridgeRoute(.post, "/instance/dispose") { bridge, _, _ in
            _ = try await bridge.fetch(Call("POST", ["api", "location", "reload"]))
            return yes
        },
        BridgeRoute(.get, "/config") { bridge, _, request in
            let reply = try await bridge.fetch(Call("GET", ["api", "config"], query: bridge.location(request)))
            return ClientAnswer(Configurations.openCode1(reply.json?.array ?? []))
        },
        BridgeRoute(.get, "/config/providers") { bridge, _, request in
            try await bridge.providers(request, isShort: true)
        },
        BridgeRoute(.get, "/provider") { bridge, _, request in
            try await bridge.providers(request, isShort: false)
        },
        BridgeRoute(.get, "/agent") { bridge, _, request in
            try await bridge.list("agent", for: request, translate: Catalogue.agent)
        },
        BridgeRoute(.get, "/command") { bridge, _, request in
            try await bridge.list("command", for: request, translate: Catalogue.command)
        },
        BridgeRoute(.get, "/skill") { bridge, _, request in
            try await bridge.list("skill", for: request, translate: Catalogue.skill)
        },
        BridgeRoute(.get, "/mcp") { bridge, _, request in
            let reply = try await bridge.fetch(Call("GET", ["api", "mcp"], query: bridge.location(request)))
            let servers = (reply.data?.array ?? []).compactMap(Catalogue.server)
            return ClientAnswer(.object(JSONObject(servers)))
        },
        // OpenCode 1's terminal program requests the following paths. OpenCode 2 has no such data.
        BridgeRoute("/experimental/capabilities", answer: ["backgroundSubagents": false]),
        BridgeRoute("/experimental/console", answer: ["consoleManagedProviders": [], "switchableOrgCount": 0]),
        BridgeRoute("/experimental/resource", answer: [:]),
        BridgeRoute("/experimental/workspace", answer: []),
        BridgeRoute("/experimental/workspace/adapter", answer: []),
        BridgeRoute("/experimental/workspace/status", answer: []),
        BridgeRoute("/formatter", answer: []),
        BridgeRoute("/lsp", answer: []),
        BridgeRoute("/project/{projectID}/directories", answer: []),
        BridgeRoute("/provider/auth", answer: [:]),
    ]

    /// Validates a client's log message and discards it.
    private func log(_ request: ClientRequest) -> ClientAnswer {
        guard let body = body(request) else { return Refusals.bad("Expected a JSON object.") }
        for name in ["service", "message"] where body[name]?.text == nil {
            return Refusals.bad("Expected a string\n  at [\"\(name)\"]")
        }
        if let extra = body["extra"], extra.object == nil {
            return Refusals.bad("Expected object\n  at [\"extra\"]")
        }
        guard let level = body["level"]?.text, ["debug", "info", "error", "warn"].contains(level) else {
            let words = #""debug" | "info" | "error" | "warn""#
            return Refusals.bad("Expected \(words)\n  at [\"level\"]")
        }
        return Self.yes
    }

    private func list(
        _ name: String, for request: ClientRequest, translate: (JSON) -> JSON?
    ) async throws(BridgeError) -> ClientAnswer {
        let reply = try await fetch(Call("GET", ["api", name], query: location(request)))
        return ClientAnswer(.array((reply.data?.array ?? []).compactMap(translate)))
    }

    private func providers(_ request: ClientRequest, isShort: Bool) async throws(BridgeError) -> ClientAnswer {
        let providers = try await fetch(Call("GET", ["api", "provider"], query: location(request)))
        let models = try await fetch(Call("GET", ["api", "model"], query: location(request)))
        let first = try await fetch(Call("GET", ["api", "model", "default"], query: location(request)))
        let all = Catalogue.providers(providers.data?.array ?? [], models.data?.array ?? [])
        let defaults = Catalogue.defaults(all, first.data)
        if isShort { return ClientAnswer(["providers": .array(all), "default": defaults]) }
        let ids = JSON.array(all.compactMap { $0["id"] })
        return ClientAnswer(["all": .array(all), "default": defaults, "connected": ids])
    }
}

/// Translates agents, commands, models and similar objects to OpenCode 1's format.
enum Catalogue {
    static func agent(_ agent: JSON) -> JSON? {
        guard let id = agent["id"], let mode = agent["mode"] else { return nil }
        let model = agent["model"].flatMap { Model(openCode1Session: $0) }
        return [
            "name": id, "description": agent["description"], "mode": mode, "hidden": agent["hidden"],
            "color": agent["color"], "permission": .array((agent["permissions"]?.array ?? []).map(Session.rule)),
            "model": model.map { ["modelID": .string($0.modelID), "providerID": .string($0.providerID)] },
            "variant": model?.variant.map(JSON.string), "prompt": agent["system"], "options": [:],
            "steps": agent["steps"],
        ]
    }

    /// Translates a command. The template is empty, because OpenCode 2 does not return the text of commands.
    static func command(_ command: JSON) -> JSON? {
        guard let name = command["name"] else { return nil }
        return ["name": name, "description": command["description"], "template": "", "hints": []]
    }

    static func skill(_ skill: JSON) -> JSON? {
        guard let name = skill["name"], let path = skill["path"], let content = skill["content"] else { return nil }
        return ["name": name, "description": skill["description"], "location": path, "content": content]
    }

    /// Translates an MCP server. Returns nil for a server that is not connected yet, because OpenCode 1 has no status
    /// for such a server.
    static func server(_ server: JSON) -> JSONObject.Member? {
        guard let name = server["name"]?.text, var status = server["status"]?.object,
            let word = status["status"]?.text, word != "pending"
        else { return nil }
        if word == "needs_auth" { status["error"] = nil }
        return JSONObject.Member(name, .object(status))
    }

    static func providers(_ providers: [JSON], _ models: [JSON]) -> [JSON] {
        providers.compactMap { provider in
            guard let id = provider["id"]?.text, let name = provider["name"] else { return nil }
            var providerModels = JSONObject()
            for model in models where model["providerID"]?.text == id && model["enabled"]?.bool != false {
                guard let modelID = model["id"]?.text else { continue }
                providerModels.add(modelID, self.model(model, id: modelID, of: provider))
            }
            return [
                "id": .string(id), "name": name, "source": "custom", "env": [], "options": [:],
                "models": .object(providerModels),
            ]
        }
    }

    /// Returns the default model of each provider: OpenCode's default model if it belongs to the provider, otherwise
    /// the provider's first model.
    static func defaults(_ providers: [JSON], _ first: JSON?) -> JSON {
        var defaults = JSONObject()
        for provider in providers {
            guard let id = provider["id"]?.text, let models = provider["models"]?.object else { continue }
            let preferred = first?["providerID"]?.text == id ? first?["id"] : nil
            defaults.add(id, preferred ?? models.members.first.map { .string($0.name) })
        }
        return .object(defaults)
    }

    private static func model(_ model: JSON, id: String, of provider: JSON) -> JSON {
        let input = model["capabilities"]?["input"]?.array?.compactMap(\.text) ?? []
        let output = model["capabilities"]?["output"]?.array?.compactMap(\.text) ?? []
        let variants = model["variants"]?.array?.compactMap { $0["id"]?.text } ?? []
        let field = model["compatibility"]?["reasoningField"]
        let capabilities: JSON = [
            "temperature": false, "reasoning": .bool(field != nil || !variants.isEmpty),
            "attachment": .bool(input.contains("image") || input.contains("pdf")),
            "toolcall": .bool(model["capabilities"]?["tools"]?.bool ?? false), "input": media(input),
            "output": media(output), "interleaved": field.map { ["field": $0] } ?? false,
        ]
        let package = model["package"]?.text ?? provider["package"]?.text ?? ""
        let npm = package.hasPrefix("aisdk:") ? String(package.dropFirst(6)) : package
        return [
            "id": .string(id), "providerID": provider["id"],
            "api": [
                "id": model["modelID"] ?? .string(id), "url": provider["settings"]?["baseURL"] ?? "",
                "npm": .string(npm),
            ],
            "name": model["name"] ?? .string(id), "family": model["family"], "capabilities": capabilities,
            "cost": cost(model["cost"]?.array ?? []), "limit": model["limit"] ?? ["context": 0, "output": 0],
            "status": model["status"] ?? "active", "options": [:], "headers": [:],
            "release_date": .string(DefaultTitle.date(model["time"]?["released"]?.number)),
            "variants": .object(JSONObject(variants.map { JSONObject.Member($0, [:]) })),
        ]
    }

    private static func media(_ kinds: [String]) -> JSON {
        var media = JSONObject()
        for kind in ["text", "audio", "image", "video", "pdf"] { media.add(kind, kinds.contains(kind)) }
        return .object(media)
    }

    /// Returns a model's prices. The member `tiers` contains the prices of the tiers.
    private static func cost(_ costs: [JSON]) -> JSON {
        let none: JSON = ["read": 0, "write": 0]
        let base = costs.first { $0["tier"] == nil }
        let tiers = costs.filter { $0["tier"] != nil }
        return [
            "input": base?["input"] ?? 0, "output": base?["output"] ?? 0, "cache": base?["cache"] ?? none,
            "tiers": tiers.isEmpty ? nil : .array(tiers),
        ]
    }
}

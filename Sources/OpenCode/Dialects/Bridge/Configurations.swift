// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Merges OpenCode 2's configuration files, and translates the result to OpenCode 1's format. The result omits the
/// providers' settings, because they contain keys.
enum Configurations {
    static func openCode1(_ entries: [JSON]) -> JSON {
        var merged = JSONObject()
        for info in entries.compactMap({ $0["info"]?.object }) {
            for member in info.members {
                if let old = merged[member.name]?.object, let new = member.value.object {
                    var both = old
                    for inner in new.members { both[inner.name] = inner.value }
                    merged[member.name] = .object(both)
                } else {
                    merged[member.name] = member.value
                }
            }
        }
        return written(merged)
    }

    private static func written(_ merged: JSONObject) -> JSON {
        var config = JSONObject()
        config.add("$schema", merged["$schema"])
        for name in ["share", "username", "default_agent", "instructions", "shell"] { config.add(name, merged[name]) }
        config.add("model", merged["model"].flatMap(model))
        switch merged["update"]?.text {
        case "disable": config.add("autoupdate", false)
        case "notify": config.add("autoupdate", "notify")
        case "auto": config.add("autoupdate", true)
        default: break
        }
        config.add("agent", map(merged["agents"], agent))
        config.add(
            "command",
            map(merged["commands"]) { command in
                [
                    "template": command["template"], "description": command["description"], "agent": command["agent"],
                    "model": command["model"].flatMap(model),
                ]
            })
        config.add(
            "provider",
            map(merged["providers"]) { provider in
                let package = provider["package"]?.text ?? ""
                let npm = package.hasPrefix("aisdk:") ? String(package.dropFirst(6)) : nil
                return [
                    "name": provider["name"], "npm": npm.map(JSON.string),
                    "models": map(provider["models"]) { ["name": $0["name"]] },
                ]
            })
        config.add("permission", merged["permissions"]?.array.map(permissions))
        return .object(config)
    }

    private static func map(_ json: JSON?, _ transform: (JSON) -> JSON) -> JSON? {
        guard let object = json?.object else { return nil }
        return .object(JSONObject(object.members.map { JSONObject.Member($0.name, transform($0.value)) }))
    }

    private static func agent(_ agent: JSON) -> JSON {
        [
            "model": agent["model"].flatMap(model), "prompt": agent["system"], "description": agent["description"],
            "mode": agent["mode"], "hidden": agent["hidden"], "color": agent["color"], "steps": agent["steps"],
            "disable": agent["disabled"], "permission": agent["permissions"]?.array.map(permissions),
        ]
    }

    /// Returns a model in OpenCode 1's format: `provider/model`.
    private static func model(_ json: JSON) -> JSON? {
        if json.text != nil { return json }
        guard let provider = json["providerID"]?.text, let model = json["model"]?.text else { return nil }
        return .string("\(provider)/\(model)")
    }

    /// Groups permission rules by action. The value of an action is a single effect, or an object with one effect for
    /// each pattern. Later rules take precedence.
    private static func permissions(_ rules: [JSON]) -> JSON {
        var permissions = JSONObject()
        for rule in rules {
            guard let action = rule["action"]?.text, let pattern = rule["resource"]?.text, let effect = rule["effect"]
            else {
                continue
            }
            let name = Names.openCode1(tool: action)
            if pattern == "*" {
                permissions[name] = effect
            } else {
                var patterns = permissions[name]?.object ?? JSONObject()
                if let all = permissions[name], all.text != nil { patterns["*"] = all }
                patterns[pattern] = effect
                permissions[name] = .object(patterns)
            }
        }
        return .object(permissions)
    }
}

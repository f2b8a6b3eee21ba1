// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The GET responses that do not depend on sessions.
struct Documents {
    let profile: Profile
    /// The home directory of the user.
    let home: String
    /// The directory of the request.
    let directory: String

    private var layouts: Layouts { profile.layouts }

    /// Returns the response to a GET request for a path; nil for an unknown path.
    func json(_ path: String) -> JSON? {
        switch path {
        case "config": configuration
        case "config/providers": ["providers": [provider], "default": ["simulator": "talk"]]
        case "provider": ["all": [provider], "default": ["simulator": "talk"], "connected": ["simulator"]]
        case "path": paths
        case "project": .array([profile.project(directory)])
        case "project/current": profile.project(directory, layouts.currentProject)
        case "vcs": layouts.branch.object(["branch": "master", "default_branch": "master"])
        case "agent": [agent]
        case "command": [command]
        case "experimental/tool/ids": ["invalid", "question", "bash", "read", "edit", "write", "task", "todowrite"]
        case "doc":
            [
                "openapi": "3.1.1",
                "info": ["title": "opencode", "description": "opencode api", "version": "1.0.0"],
                "paths": ["/global/health": ["get": ["operationId": "global.health"]]],
            ]
        case "lsp", "file/status": []
        case "mcp": [:]
        default: profile.refusals.generation == .third ? document(path) : nil
        }
    }

    /// Returns the response to a path that only the OpenAPI document of 1.18.33 describes; nil for an unknown path.
    private func document(_ path: String) -> JSON? {
        let project = SHA1.hexadecimal(directory)
        let location: JSON = [
            "directory": .string(directory), "project": ["id": .string(project), "directory": .string(directory)],
        ]
        switch path {
        case "project/\(project)/directories": return [["directory": .string(directory)]]
        case "experimental/workspace", "experimental/workspace/status", "formatter": return []
        case "experimental/resource", "provider/auth": return [:]
        case "api/location": return location
        case "api/agent", "api/integration", "api/model", "api/provider", "api/reference", "api/command", "api/skill":
            return ["location": location, "data": []]
        default: return nil
        }
    }

    private var configuration: JSON {
        let models = Scenario.allCases.map { ($0.rawValue, JSON.object([]).adding([("name", .string($0.title))])) }
        let provider = layouts.configuredProvider.object([
            "name": "Simulator", "npm": "@ai-sdk/openai-compatible", "models": JSON.object([]).adding(models),
            "options": ["apiKey": "not-a-secret"],
        ])
        return layouts.configuration.object([
            "$schema": "https://opencode.ai/config.json", "share": "disabled", "autoupdate": false,
            "model": "simulator/talk", "small_model": "simulator/talk", "provider": ["simulator": provider],
            "permission": ["bash": "ask"], "agent": [:], "mode": [:], "plugin": [], "command": [:],
            "username": "unknown", "keybinds": ["leader": "ctrl+x"],
        ])
    }

    private var provider: JSON {
        layouts.provider.object([
            "id": "simulator", "name": "Simulator", "source": "config", "env": [],
            "options": ["apiKey": "not-a-secret"],
            "models": JSON.object([]).adding(Scenario.allCases.map { ($0.rawValue, model($0)) }),
        ])
    }

    private func model(_ scenario: Scenario) -> JSON {
        let media: JSON = ["text": true, "audio": false, "image": false, "video": false, "pdf": false]
        return layouts.model.object([
            "id": .string(scenario.rawValue), "providerID": "simulator", "name": .string(scenario.title), "family": "",
            "api": layouts.modelInterface.object([
                "id": .string(scenario.rawValue), "url": "", "npm": "@ai-sdk/openai-compatible",
            ]), "status": "active",
            "capabilities": [
                "temperature": false, "reasoning": .bool(scenario == .think), "attachment": false, "toolcall": true,
                "input": media, "output": media, "interleaved": false,
            ], "cost": ["input": 0, "output": 0, "cache": ["read": 0, "write": 0]], "options": [:],
            "limit": ["context": 0, "output": 0], "headers": [:], "release_date": "", "variants": [:],
        ])
    }

    private var paths: JSON {
        // A directory that does not exist belongs to no work tree.
        let worktree = (try? FileTree.names(in: directory)) == nil ? "/" : directory
        return [
            "home": .string(home), "state": .string("\(home)/.local/state/opencode"),
            "config": .string("\(home)/.config/opencode"), "worktree": .string(worktree),
            "directory": .string(directory),
        ]
    }

    private var agent: JSON {
        [
            "name": "build", "description": "The default agent. Executes tools based on configured permissions.",
            "mode": "primary", "native": true,
            "permission": [["permission": "*", "pattern": "*", "action": "allow"]], "options": [:],
        ]
    }

    private var command: JSON {
        layouts.command.object([
            "name": "init", "description": "guided AGENTS.md setup", "source": "command",
            "template": "Create or update AGENTS.md.", "hints": [],
        ])
    }
}

extension Profile {
    /// Returns a project in the format of responses and of `project.updated`.
    func project(_ directory: String, _ layout: Layout? = nil) -> JSON {
        let time = JSON.integer(Clock.milliseconds)
        return (layout ?? layouts.project).object([
            "id": .string(SHA1.hexadecimal(directory)), "worktree": .string(directory), "vcs": "git",
            "time": ["created": time, "updated": time], "sandboxes": [],
        ])
    }
}

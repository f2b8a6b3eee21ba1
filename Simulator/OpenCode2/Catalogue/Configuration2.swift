// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The configuration files that apply to a directory: the user's file and the directory's own file.
struct Configuration2 {
    private struct File {
        let path: String
        /// The file's content; nil if it is not JSON.
        let content: JSON?
    }

    private let user: String
    private let files: [File]

    /// Reads the files of the user and of the directory.
    init(home: String, directory: String) {
        user = "\(home)/.config/opencode/opencode.json"
        files = [user, "\(directory)/opencode.json"].compactMap { path in
            (try? FileTree.contents(path)).map { File(path: path, content: try? JSONParser.parse($0)) }
        }
    }

    /// Whether a file cannot be parsed. OpenCode 2 still starts, but without models.
    var isBroken: Bool { files.contains { $0.content == nil } }

    /// The effective documents, in ascending precedence: the user's document, and then the directory's document. The
    /// simulator provides the content of the user's document. Broken documents are omitted.
    var documents: [JSON] {
        var documents: [JSON] = []
        if !files.contains(where: { $0.path == user && $0.content == nil }) {
            documents.append(document(user, Configuration2.simulator))
        }
        for file in files where file.path != user {
            if let content = file.content { documents.append(document(file.path, content)) }
        }
        return documents
    }

    private func document(_ path: String, _ info: JSON) -> JSON {
        ["type": "document", "path": .string(path), "info": info]
    }

    private static var simulator: JSON {
        let models = Scenario.allCases.map { ($0.rawValue, JSON.object([]).adding([("name", .string($0.title))])) }
        return [
            "$schema": "https://opencode.ai/config.json", "model": ["providerID": "simulator", "model": "talk"],
            "update": "disable", "share": "disabled",
            "permissions": [["action": "shell", "resource": "*", "effect": "ask"]],
            "agents": ["title": ["model": ["providerID": "simulator", "model": "talk"]]],
            "providers": [
                "simulator": [
                    "name": "Simulator", "package": "aisdk:@ai-sdk/openai-compatible",
                    "settings": ["baseURL": "http://127.0.0.1:9/v1", "apiKey": "not-a-secret"],
                    "models": JSON.object([]).adding(models),
                ]
            ],
        ]
    }
}

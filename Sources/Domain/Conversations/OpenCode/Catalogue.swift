// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// The models, tools and MCP servers of an instance, as they were last received.
package struct Catalogue: Sendable, Equatable {
    /// A model that can be chosen.
    package struct Model: Sendable, Equatable {
        /// The id, in the form `provider/model`.
        package let id: String
        /// The name that users see.
        package let name: String
        /// The provider's name that users see.
        package let provider: String
    }

    /// The models in OpenCode's order.
    package let models: [Model]
    /// The model for requests that do not name one; nil if there are no models.
    package let defaultModel: String?
    /// The number of tools; 0 if OpenCode does not report it.
    package let toolCount: Int
    /// The names of the MCP servers.
    package let servers: [String]

    /// Parses the response to `GET /config/providers`.
    ///
    /// - Parameter wanted: The `model` of the configuration.
    init(_ providers: JSON, wanted: String?, tools: Int, servers: [String]) {
        var models: [Model] = []
        for provider in providers["providers"]?.array ?? [] {
            guard let id = provider["id"]?.text else { continue }
            let name = provider["name"]?.text ?? id
            for model in provider["models"]?.object?.members ?? [] {
                models.append(
                    Model(id: "\(id)/\(model.name)", name: model.value["name"]?.text ?? model.name, provider: name))
            }
        }
        self.models = models
        let defaults = (providers["default"]?.object?.members ?? []).compactMap { member in
            member.value.text.map { "\(member.name)/\($0)" }
        }
        let candidates = [wanted].compactMap(\.self) + defaults
        defaultModel = candidates.first { id in models.contains { $0.id == id } } ?? models.first?.id
        toolCount = tools
        self.servers = servers
    }

    /// Returns the id of the model if it exists, otherwise the default model.
    func model(_ wanted: String?) -> String? {
        guard let wanted, models.contains(where: { $0.id == wanted }) else { return defaultModel }
        return wanted
    }

    /// Returns the MCP server of a tool. OpenCode's name of such a tool consists of the server's name, `_`, and the
    /// server's name for the tool.
    func owner(of tool: String) -> String { Self.owner(of: tool, servers) }

    static func owner(of tool: String, _ servers: [String]) -> String {
        let owners = servers.filter { tool.hasPrefix(Self.plain($0) + "_") }
        return owners.max { $0.utf8.count < $1.utf8.count } ?? "opencode"
    }

    /// Returns a server's name in the form that tool names contain: only letters, digits, `_` and `-` are kept
    /// (OpenCode 1.18).
    private static func plain(_ server: String) -> String {
        String(
            decoding: server.utf8.map { byte in
                let isPlain =
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                return isPlain || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }
}

internal import Dialects
internal import JSONText

/// What an OpenCode has to offer, as last heard of.
package struct Catalogue: Sendable, Equatable {
    /// A model that can be chosen.
    package struct Model: Sendable, Equatable {
        /// `provider/model`.
        package let id: String
        /// For people.
        package let name: String
        /// The provider's name, for people.
        package let provider: String
    }

    /// In OpenCode's order.
    package let models: [Model]
    /// The model that is used where none is named; nil where there is none at all.
    package let defaultModel: String?
    /// How many tools there are; 0 where OpenCode does not say.
    package let toolCount: Int
    /// Names of the MCP servers.
    package let servers: [String]

    /// Reads `GET /config/providers`; `wanted` is the configuration's `model`.
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
        (toolCount, self.servers) = (tools, servers)
    }

    /// The model of that name, else the default one.
    func model(_ wanted: String?) -> String? {
        guard let wanted, models.contains(where: { $0.id == wanted }) else { return defaultModel }
        return wanted
    }

    /// Whose a tool is: OpenCode calls those of MCP servers by the server's name, `_` and the tool's.
    func owner(of tool: String) -> String { Self.owner(of: tool, servers) }

    static func owner(of tool: String, _ servers: [String]) -> String {
        let owners = servers.filter { tool.hasPrefix(Self.plain($0) + "_") }
        return owners.max { $0.utf8.count < $1.utf8.count } ?? "opencode"
    }

    /// A server's name within a tool's: letters, digits, `_` and `-` stay (OpenCode 1.18).
    private static func plain(_ server: String) -> String {
        String(
            decoding: server.utf8.map { byte in
                let isPlain =
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                return isPlain || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }
}

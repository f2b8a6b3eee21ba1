// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Translates the messages of a session from OpenCode 2 to OpenCode 1. The translations of lists and of events share
/// this type, so that both produce the same messages.
struct MessageTranslation {
    let session: Session

    /// Translates a user's prompt.
    ///
    /// - Parameter payload: The text, files and agents of the prompt.
    func user(_ id: String, created: Number, payload: JSONObject, agent: String, model: Model) -> Message {
        let info = UserMessage(
            id: MessageIDs.openCode1(id), sessionID: session.id, created: created, agent: agent,
            model: withoutDefaultVariant(model))
        var kinds: [Part.Kind] = []
        if let text = payload["text"]?.text, !text.isEmpty { kinds.append(.text(Part.Text(text: text))) }
        for file in payload["files"]?.array ?? [] { kinds.append(.file(self.file(file))) }
        for agent in payload["agents"]?.array ?? [] {
            guard let name = agent["name"]?.text else { continue }
            kinds.append(.agent(name: name, source: agent["mention"].map(source)))
        }
        return Message(.user(info), kinds.enumerated().map { part(of: info.id, at: .content($0), $1) })
    }

    /// Translates the properties of an answer's step.
    func assistant(_ id: String, parentID: String, created: Number, agent: String, model: Model) -> AssistantMessage {
        AssistantMessage(
            id: MessageIDs.openCode1(id), sessionID: session.id, parentID: parentID, created: created, agent: agent,
            mode: agent, model: withoutDefaultVariant(model), directory: session.directory, root: session.root)
    }

    func part(of messageID: String, at position: PartIDs.Position, _ kind: Part.Kind) -> Part {
        Part(id: PartIDs.make(messageID, position), sessionID: session.id, messageID: messageID, kind)
    }

    /// Returns the part that ends a step.
    func stepFinish(_ messageID: String, reason: String, snapshot: String?, cost: Number, tokens: Tokens) -> Part {
        part(
            of: messageID, at: .stepFinish,
            .stepFinish(Part.StepFinish(reason: reason, snapshot: snapshot, cost: cost, tokens: tokens)))
    }

    /// Returns the part with the files that a step has changed; nil if there are none.
    func patch(_ messageID: String, before snapshot: String?, files: [String]) -> Part? {
        guard let snapshot, !files.isEmpty else { return nil }
        let separator = session.directory.hasSuffix("/") ? "" : "/"
        let paths = files.map { $0.hasPrefix("/") ? $0 : session.directory + separator + $0 }
        return part(of: messageID, at: .patch, .patch(hash: snapshot, files: paths))
    }

    /// Adds the total number of a step's tokens, which OpenCode 1 also sends.
    func summed(_ tokens: Tokens) -> Tokens {
        var tokens = tokens
        if tokens.total == nil { tokens.total = tokens.sum }
        return tokens
    }

    /// Removes the default variant, which OpenCode 1's messages do not name.
    private func withoutDefaultVariant(_ model: Model) -> Model {
        Model(
            providerID: model.providerID, modelID: model.modelID,
            variant: model.variant == "default" ? nil : model.variant)
    }

    private func file(_ file: JSON) -> Part.File {
        let mime = file["mime"]?.text ?? "application/octet-stream"
        let address = file["source"]?["uri"]?.text
        let name = file["name"]?.text
        var source: JSON?
        if let mention = file["mention"], let address, address.hasPrefix("file://") {
            source = ["type": "file", "text": self.source(mention), "path": .string(String(address.dropFirst(7)))]
        }
        let url = address ?? "data:\(mime);base64,\(file["data"]?.text ?? "")"
        return Part.File(mime: mime, filename: name, url: url, source: source)
    }

    /// Translates the position of a mention in the text.
    private func source(_ mention: JSON) -> JSON {
        ["value": mention["text"], "start": mention["start"], "end": mention["end"]]
    }
}

/// Recognizes a user's refusal of a tool's request in OpenCode 2.
enum ToolRefusal {
    static func isOne(_ error: JSON?) -> Bool {
        guard error?["type"]?.text == "aborted", let message = error?["message"]?.text else { return false }
        return message.hasPrefix("The user declined") || message.hasPrefix("The user dismissed")
    }

    /// Returns the reason for the end of a refused step in OpenCode's spelling. Providers write `_` instead of `-`.
    static func finish(_ rawFinish: String?) -> String { rawFinish?.replacing("_", with: "-") ?? "tool-calls" }
}

// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Translates a tool call from OpenCode 2 to OpenCode 1.
struct ToolTranslation {
    /// OpenCode 2's name of the tool.
    let name: String
    let callID: String
    let session: Session
    let model: Model

    /// Returns a call whose input is not complete.
    ///
    /// - Parameter raw: The part of the input that the model has written.
    func pending(raw: String = "") -> ToolCall {
        var state = ToolCall.State(.pending)
        state.raw = raw
        return call(state)
    }

    /// Returns a running call.
    ///
    /// - Parameters:
    ///   - input: The input of the call.
    ///   - start: The start time, in milliseconds since 1970.
    ///   - metadata: The metadata that OpenCode 2 sends for the call; nil before the first event that contains metadata.
    func running(input: JSONObject, start: Number, metadata: JSONObject?) -> ToolCall {
        var state = ToolCall.State(.running, input: Names.input(input, of: name))
        if name == "subagent", metadata != nil { state.title = title(input) }
        state.metadata = metadata.map(translated)
        state.time = Part.Time(start: start)
        return call(state)
    }

    /// Returns a completed call with the output `content`.
    func completed(
        input: JSONObject, content: [JSON], metadata: JSONObject?, time: Part.Time, messageID: String, position: Int
    ) -> ToolCall {
        var state = ToolCall.State(.completed, input: Names.input(input, of: name))
        let output = content.compactMap { $0["type"]?.text == "text" ? $0["text"]?.text : nil }.joined(separator: "\n")
        state.output = output
        state.title = title(input)
        var metadata = metadata.map(translated) ?? JSONObject()
        if name == "shell", metadata["output"] == nil {
            metadata.members.insert(.init("output", .string(output)), at: 0)
        }
        if name == "write" || name == "edit", metadata["filepath"] == nil {
            metadata.add("filepath", input["path"]?.text.map { .string(absolute($0)) })
        }
        state.metadata = metadata
        state.time = time
        let files = content.enumerated().compactMap { index, content in
            attachment(content, id: "\(PartIDs.make(messageID, .content(position)))_\(index)", messageID: messageID)
        }
        if !files.isEmpty { state.others.add("attachments", .array(files)) }
        return call(state)
    }

    /// Returns a failed call.
    ///
    /// - Parameter error: The error in OpenCode 2's format.
    func failed(input: JSONObject, error: JSON?, metadata: JSONObject?, time: Part.Time) -> ToolCall {
        var state = ToolCall.State(.error, input: Names.input(input, of: name))
        state.error = error?["message"]?.text ?? ""
        state.metadata = metadata.map(translated)
        state.time = time
        return call(state)
    }

    /// Returns the absolute path of a file. A relative path is relative to the session's directory.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (session.directory.hasSuffix("/") ? "" : session.directory) + "/" + path
    }

    private func call(_ state: ToolCall.State) -> ToolCall {
        ToolCall(callID: callID, tool: Names.openCode1(tool: name), state: state)
    }

    /// Returns the metadata with the member names that OpenCode 1's clients expect.
    private func translated(_ metadata: JSONObject) -> JSONObject {
        if name == "shell" {
            return JSONObject(metadata.members.filter { !["status", "shellID"].contains($0.name) })
        }
        guard name == "subagent", let child = metadata["sessionID"] else { return metadata }
        var translated = JSONObject()
        translated.add("parentSessionId", session.id)
        translated.add("sessionId", child)
        translated.add("model", ["modelID": .string(model.modelID), "providerID": .string(model.providerID)])
        translated.members += metadata.members.filter { !["sessionID", "status"].contains($0.name) }
        return translated
    }

    /// Returns the title that OpenCode 1 shows for a call. For most tools, the title is one member of the input.
    private func title(_ input: JSONObject) -> String {
        switch name {
        case "question":
            let count = input["questions"]?.array?.count ?? 0
            return "Asked \(count) question\(count == 1 ? "" : "s")"
        case "subagent": return input["description"]?.text ?? ""
        default:
            let names = ["command", "path", "filePath", "pattern", "url", "query", "name", "description"]
            return names.lazy.compactMap { input[$0]?.text }.first ?? ""
        }
    }

    private func attachment(_ content: JSON, id: String, messageID: String) -> JSON? {
        guard content["type"]?.text == "file", let url = content["uri"]?.text, let mime = content["mime"]?.text else {
            return nil
        }
        let file = Part.File(mime: mime, filename: content["name"]?.text, url: url)
        return Part(id: id, sessionID: session.id, messageID: messageID, .file(file)).json
    }
}

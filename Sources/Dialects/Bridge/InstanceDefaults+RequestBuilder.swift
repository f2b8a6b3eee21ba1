internal import JSONText

extension InstanceDefaults {
    /// Asks an OpenCode 2 for its default agent and model, and goes on with what it says: as its configuration has them, else
    /// the model that it takes by itself. `directory`: the project's own.
    package static func ask(
        version: String, directory: String, _ next: @escaping @Sendable (InstanceDefaults) -> BridgeStep
    ) -> BridgeStep {
        let location: [(String, String?)] = [("location[directory]", directory)]
        return .call(Call("GET", ["api", "config"], query: location)) { config in
            // Where it says nothing, its requests are answered all the same.
            let files = (config.isGood ? config.json?.array : nil) ?? []
            let all = files.compactMap { $0["info"] }
            let agent = all.last { $0["default_agent"]?.text != nil }?["default_agent"]?.text
            let named = all.last { $0["model"] != nil }?["model"].flatMap(model)
            let known = InstanceDefaults(version: version, agent: agent ?? "build", model: named)
            if named != nil { return next(known) }
            return .call(Call("GET", ["api", "model", "default"], query: location)) { reply in
                var known = known
                known.model = reply.isGood ? reply.data.flatMap { Model(openCode1Session: $0) } : nil
                return next(known)
            }
        }
    }

    /// A model as configuration files name it: `provider/model`, or both apart.
    private static func model(_ json: JSON) -> Model? {
        if let text = json.text, let slash = text.firstIndex(of: "/") {
            return Model(providerID: String(text[..<slash]), modelID: String(text[text.index(after: slash)...]))
        }
        guard let provider = json["providerID"]?.text, let model = json["model"]?.text ?? json["id"]?.text else {
            return nil
        }
        return Model(providerID: provider, modelID: model, variant: json["variant"]?.text)
    }
}

extension Bridge {
    /// What to do about a request where the instance is an OpenCode 1: it is passed on, and its answer given.
    package static func pass(_ request: ClientRequest) -> BridgeStep {
        let isLong =
            request.method == "POST"
            && ["message", "command", "shell", "summarize", "init"].contains(request.path.last ?? "")
        let body = request.body.isEmpty ? nil : JSONParser.parse(request.body)
        guard request.body.isEmpty || body != nil else { return .answer(Refusals.bad("Expected a valid JSON body")) }
        let query = request.query.map { ($0.name, Optional($0.value)) } + [("directory", request.directory)]
        return .call(Call(request.method, request.path, query: query, body: body, isLong: isLong)) { reply in
            if reply.isCut { return .answer(Refusals.tooLong) }
            let fields = reply.nextCursor.map { ["X-Next-Cursor": $0] } ?? [:]
            return .answer(ClientAnswer(reply.status, fields: fields, bytes: reply.body))
        }
    }
}

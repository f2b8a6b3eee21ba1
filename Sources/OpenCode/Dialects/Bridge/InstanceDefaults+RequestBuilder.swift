// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension InstanceDefaults {
    /// Requests the default agent and model of an OpenCode 2 and continues with them. The configuration determines
    /// them; without an entry for the model, OpenCode's own default model is used.
    ///
    /// - Parameter directory: The project's directory.
    package static func request(
        version: String, directory: String, _ next: @escaping @Sendable (InstanceDefaults) -> BridgeStep
    ) -> BridgeStep {
        let location: [(String, String?)] = [("location[directory]", directory)]
        return .call(Call("GET", ["api", "config"], query: location)) { config in
            // If a reply is unsuccessful, the client's requests are still handled.
            let known = InstanceDefaults(
                version: version, configuration: config.isGood ? config.json : nil, model: nil)
            if known.model != nil { return next(known) }
            return .call(Call("GET", ["api", "model", "default"], query: location)) { reply in
                var known = known
                known.model = reply.isGood ? reply.data.flatMap { Model(openCode1Session: $0) } : nil
                return next(known)
            }
        }
    }
}

extension Bridge {
    /// Forwards a request to an OpenCode 1 instance and returns its response.
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

// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension InstanceDefaults {
    /// Requests the default agent and model of an OpenCode 2 instance. The instance's configuration contains both. If
    /// the configuration contains no model, the method requests OpenCode's own default model.
    ///
    /// - Parameter directory: The project's directory.
    ///
    /// - Throws: ``BridgeError/ended`` if the client has disconnected or the instance has stopped.
    package static func request(
        version: String, directory: String, over transport: any BridgeTransport
    ) async throws(BridgeError) -> InstanceDefaults {
        let location: [(String, String?)] = [("location[directory]", directory)]
        let config = try await transport.send(Call("GET", ["api", "config"], query: location))
        // If the reply is not successful, continue without the configuration, because the client's requests must still
        // be handled.
        var known = InstanceDefaults(version: version, configuration: config.isGood ? config.json : nil, model: nil)
        if known.model != nil { return known }
        let reply = try await transport.send(Call("GET", ["api", "model", "default"], query: location))
        known.model = reply.isGood ? reply.data.flatMap { Model(openCode1Session: $0) } : nil
        return known
    }
}

extension Bridge {
    /// Forwards a request to an OpenCode 1 instance, and returns the instance's response.
    ///
    /// - Throws: ``BridgeError/ended`` if the client has disconnected or the instance has stopped.
    package static func forward(
        _ request: ClientRequest, over transport: any BridgeTransport
    ) async throws(BridgeError) -> ClientAnswer {
        let isLong =
            request.method == "POST"
            && ["message", "command", "shell", "summarize", "init"].contains(request.path.last ?? "")
        let bytes = request.bodyBytes
        let body = bytes.isEmpty ? nil : JSONParser.parse(bytes)
        guard bytes.isEmpty || body != nil else { return Refusals.bad("Expected a valid JSON body") }
        let query = request.query.map { ($0.name, Optional($0.value)) } + [("directory", request.directory)]
        let call = Call(request.method, request.path, query: query, body: body, isLong: isLong)
        request.releaseBody()
        let reply = try await transport.send(call)
        if reply.isCut { return Refusals.tooLong }
        let fields = reply.nextCursor.map { ["X-Next-Cursor": $0] } ?? [:]
        return ClientAnswer(reply.status, fields: fields, bytes: reply.body)
    }
}

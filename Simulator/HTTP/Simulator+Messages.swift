// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator {
    /// The providers that a prompt may name.
    private static let providers = ["simulator", "mock"]

    func messages(of session: Session, _ request: Request) -> SimulatedAnswer {
        let layouts = profile.layouts
        let limit = request.query["limit"].flatMap { Int($0) }
        let shown = limit.map { session.messages.suffix(max(0, $0)) } ?? session.messages[...]
        var answer = SimulatedAnswer.json(
            .array(shown.map { $0.json(limit == nil ? layouts.list : layouts.answer, layouts) }))
        // Add a link to the older messages.
        guard let limit, shown.count < session.messages.count, let first = shown.first,
            profile.refusals.generation != .first
        else { return answer }
        let position: JSON = ["id": .string(first.id), "time": .integer(first.created)]
        let cursor = Base64.encode(Array(position.encoded.utf8), padding: false)
        let host = request.fields.first("Host") ?? "127.0.0.1"
        let link = "<http://\(host)/session/\(session.id)/message?limit=\(limit)&before=\(cursor)>; rel=\"next\""
        answer.first = [("Access-Control-Expose-Headers", "Link, X-Next-Cursor"), ("Link", link)]
        answer.last = [(profile.framework == .hono ? "X-Next-Cursor" : "x-next-cursor", cursor)]
        return answer
    }

    func prompt(_ session: Session, _ request: Request, waits: Bool) -> SimulatedAnswer {
        guard let body = request.json else { return profile.refusals.malformed }
        guard let parts = body["parts"]?.elements else { return profile.refusals.missing(list: "parts", in: body) }
        let text = parts.compactMap { $0["text"]?.text }.joined(separator: "\n")
        // Use the default model if the model is missing or invalid.
        let model = Session.Model(
            providerID: body["model"]?["providerID"]?.text ?? "simulator",
            modelID: body["model"]?["modelID"]?.text ?? "talk"
        )
        guard Simulator.providers.contains(model.providerID) else {
            return waits ? profile.refusals.unknownProvider : .accepted
        }
        let script = TurnScript(model: model.modelID, prompt: text, pace: pace)
        let prompt = conversation.accept(
            text, model: model, script: script, id: body["messageID"]?.text, in: session)
        let conversation = conversation
        if waits {
            guard let message = conversation.run(prompt) else { return .unexpected }
            return .chunkedJSON(message.json(profile.layouts.answer, profile.layouts))
        }
        // If no thread can be created for the turn, the prompt is lost, and the client receives an error.
        let turn = try? TestThread { _ = conversation.run(prompt) }
        return turn == nil ? .unexpected : .accepted
    }

    /// Runs a command, which is a prompt with a prepared text.
    func command(_ session: Session, _ request: Request) -> SimulatedAnswer {
        guard let body = request.json else { return profile.refusals.malformed }
        let name = body["command"]?.text ?? ""
        let parts = (body["model"]?.text ?? "simulator/talk").split(separator: "/", maxSplits: 1).map(String.init)
        let model = Session.Model(providerID: parts[0], modelID: parts.count > 1 ? parts[1] : "talk")
        let arguments = body["arguments"]?.text ?? ""
        let script = TurnScript(model: model.modelID, prompt: arguments, pace: pace)
        let prompt = conversation.accept(
            "Run the command \(name). \(arguments)", model: model, script: script, in: session)
        guard let message = conversation.run(prompt) else { return .unexpected }
        conversation.publish(
            "command.executed",
            [
                "name": .string(name), "sessionID": .string(session.id), "arguments": .string(arguments),
                "messageID": .string(message.id),
            ], in: session)
        return .json(message.json(profile.layouts.list, profile.layouts))
    }

    func shell(_ session: Session, _ request: Request) -> SimulatedAnswer {
        guard let body = request.json else { return profile.refusals.malformed }
        let model = Session.Model(
            providerID: body["model"]?["providerID"]?.text ?? "simulator",
            modelID: body["model"]?["modelID"]?.text ?? "talk"
        )
        let message = conversation.runShell(body["command"]?.text ?? "", model: model, in: session)
        return .json(message.json(profile.layouts.shellAnswer, profile.layouts))
    }
}

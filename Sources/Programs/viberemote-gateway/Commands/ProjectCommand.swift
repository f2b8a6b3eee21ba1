// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPTypes
internal import Instances
import JSONText
import Settings

/// The command `project`, which sends a request to the running gateway and prints the response.
enum ProjectCommand {
    private static let refusedExitCode: Int32 = 1
    private static let unreachableExitCode: Int32 = 3

    /// Sends the request, prints the response, and returns the exit code.
    static func run(_ request: ProjectRequest, output: ProjectOutput, configuration: Configuration) -> Int32 {
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        let answer: GatewayCall.Response
        do throws(GatewayCall.Failure) {
            answer = try GatewayCall.perform(
                method(request), target(request), to: configuration.listen, key: configuration.keys.first?.secret)
        } catch {
            StandardStreams.writeError(
                "Cannot reach a gateway: \(error) Start one with `\(GatewayVersion.program) serve` or `systemctl --user start "
                    + "\(GatewayVersion.program)`, or set --listen to the running gateway's address.")
            return unreachableExitCode
        }
        if output == .json { StandardStreams.writeLine(String(decoding: answer.body, as: UTF8.self)) }
        guard answer.status == 200 else {
            StandardStreams.writeError(refusal(of: request, answer, configuration))
            return refusedExitCode
        }
        if output == .json { return 0 }
        guard let text = text(for: request, output: output, body: answer.body) else {
            StandardStreams.writeError(
                "The program that responds at \(configuration.listen) is not a gateway. Set --listen to the gateway's address."
            )
            return refusedExitCode
        }
        if !text.isEmpty { StandardStreams.writeLine(text) }
        return 0
    }

    private static func method(_ request: ProjectRequest) -> Method {
        switch request {
        case .list, .status, .history: .get
        case .start: .post
        case .stop: .delete
        }
    }

    private static func target(_ request: ProjectRequest) -> String {
        switch request {
        case .list: "/projects"
        case .start(let name): "/projects/\(segment(name))/start"
        case .stop(let name): "/projects/\(segment(name))/stop"
        case .status(let name): "/projects/\(segment(name))/status"
        case .history(let name): "/projects/\(segment(name))/history"
        }
    }

    /// Returns a name as a path segment. Every byte except unreserved characters becomes `%XX` (RFC 3986 §2.3).
    private static func segment(_ name: String) -> String {
        String(decoding: PercentEncoding.encode(name.utf8), as: UTF8.self)
    }

    private static func refusal(
        of request: ProjectRequest, _ answer: GatewayCall.Response, _ configuration: Configuration
    ) -> String {
        let detail = ErrorBody(jsonText: answer.body)?.detail
        // The gateway's message contains an invalid name in its encoded form. Show the name as the
        // user typed it instead.
        if answer.status == 404, let name = request.name, detail == InstanceMessage.projectNotFound(segment(name)) {
            return PlainText.lines(InstanceMessage.projectNotFound(name))
        }
        let sentence = PlainText.lines(
            detail ?? "The gateway responded with status \(answer.status). See the gateway's log for the reason.")
        return answer.status == 401 ? GatewayCall.refusal(sentence, of: configuration) : sentence
    }

    private static func text(for request: ProjectRequest, output: ProjectOutput, body: [UInt8]) -> String? {
        switch request {
        case .list:
            guard let projects = [ProjectView](jsonText: body) else { return nil }
            if output == .names { return projects.map(\.name).joined(separator: "\n") }
            return ProjectView.table(projects)
        case .status:
            return ProjectView(jsonText: body)?.description
        case .history:
            return HistoryView(jsonText: body)?.description
        case .start, .stop:
            guard let result = ActionResult(jsonText: body) else { return nil }
            let port = result.port.map { " on port \($0)" } ?? ""
            return PlainText.lines("\(result.name): \(result.status.replacing("_", with: " "))\(port)")
        }
    }

    private struct ActionResult: JSONReadable {
        let name: String
        let status: String
        let port: UInt16?

        init(json: JSON) throws(JSONMismatch) {
            name = try json.required("name")
            status = try json.required("status")
            port = try json.optional("port")
        }
    }
}

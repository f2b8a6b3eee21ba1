// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// All routes of the simulator, in the order in which requests are matched with them. Routes with literal segments
    /// precede routes with parameters.
    static let routes: [Route] =
        serverRoutes + catalogueRoutes + locationRoutes + fileRoutes + worktreeRoutes + terminalRoutes + sessionRoutes
        + turnRoutes + messageRoutes + requestRoutes

    /// Returns the outcome of a request.
    func outcome(of request: Request) -> RequestOutcome {
        if request.method == "OPTIONS" { return .answer(.preflight) }
        if request.method == "HEAD" {
            guard case .answer(var answer) = outcome(of: request.with(method: "GET")) else {
                return .answer(.blank(404, "Not Found"))
            }
            answer.isHead = true
            return .answer(answer)
        }
        let isOfPage = request.segments.first != "api" && request.path != "openapi.json"
        // The web app prompts for the password itself, so its page requires no password.
        if isOfPage, request.method == "GET" { return .answer(.webApp) }
        if let credentials, !credentials.accept(request), !admits(request) { return .answer(.unauthorized2) }
        if isOfPage { return .answer(.blank(405, "Method Not Allowed")) }
        do {
            for route in Simulator2.routes {
                guard let parameters = route.parameters(request.method, request.segments) else { continue }
                return try route.handler(self, Call(request: request, parameters: parameters))
            }
        } catch let refusal as RequestError {
            return .answer(refusal.answer)
        } catch {
            return .answer(.blank(500, "Internal Server Error"))
        }
        return .answer(notBuilt(request) ?? .blank(404, "Not Found"))
    }

    /// Returns the error for a route that OpenCode 2 has and the simulator lacks; nil for any other route. The
    /// simulator invents no responses for such routes.
    private func notBuilt(_ request: Request) -> SimulatedAnswer? {
        let operation = Simulator2.documented.first { operation in
            let parts = operation.split(separator: " ")
            return parts[0] == request.method && Route.match(parts[1].split(separator: "/"), request.segments) != nil
        }
        guard let operation else { return nil }
        let message = "The simulator does not implement \(operation) of OpenCode \(profile.version)."
        return .error(501, "Not Implemented", tag: "NotBuilt", members: [("message", .string(message))])
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Application {
    /// Returns the outcome that the misbehaviour causes; nil if the request is served as usual.
    func misbehave(_ request: Request, _ connection: TestConnection) throws -> RequestOutcome? {
        let path = "/" + request.segments.joined(separator: "/")
        // The route that changes the misbehaviour always works, so that a test can end the misbehaviour.
        if path == "/simulator/misbehave" { return .answer(changeMisbehaviour(request)) }
        let current = misbehaviour.current
        if let crashPath = current.crashPath, path.hasPrefix(crashPath) { misbehaviour.crash() }
        try misbehaviour.waitWhileWedged(connection)
        if path == healthPath {
            if let delay = current.healthDelay { try connection.pause(delay) }
            return current.health.flatMap(outcome)
        }
        return nil
    }

    /// Handles the hidden route, which changes the simulator's misbehaviour to the words in the request's body.
    private func changeMisbehaviour(_ request: Request) -> SimulatedAnswer {
        if let credentials, !credentials.accept(request) { return .unauthorized }
        do {
            let wanted = try Misbehaviour(String(decoding: request.body, as: UTF8.self))
            misbehaviour.change(to: wanted)
            if wanted.cutsStreams { cutStreams() }
            return .json(true)
        } catch {
            return .json(["unknown": .string(error.word)], status: 400, reason: "Bad Request")
        }
    }
}

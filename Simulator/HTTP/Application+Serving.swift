// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Serves the requests of a connection.
extension Application {
    /// Serves a connection until it ends.
    func serve(_ connection: TestConnection) throws {
        var limit = Serving.firstLimit
        var hasAnswered = false
        while let raw = try readHead(connection, within: limit) {
            if hasAnswered, let loss = misbehaviour.current.idleLoss, try connection.waitBeforeArrival() >= loss {
                return
            }
            let received: ReceivedRequest
            do {
                received = try connection.readRequest(startingWith: raw, within: .seconds(600))
            } catch TestKitError.malformed {
                try connection.respond(400, "Bad Request", headers: [("Connection", "close")])
                try connection.finish(within: .seconds(5))
                return
            }
            let request = request(received)
            switch try misbehave(request, connection) ?? outcome(of: request) {
            case .answer(let answer):
                // Faults do not affect the route that changes the misbehaviour.
                let isSwitch = request.segments.first == "simulator"
                if !isSwitch, !misbehaviour.current.isWedged { waitUntilStreamsAreWritten() }
                if try !isSwitch && breakOff(answer, to: request, on: connection) { return }
                try write(answer, to: connection, request)
            case .events(let feed):
                if try breakOff(stream: feed.greeting, request, connection) { return }
                try connection.writeHead(200, headers: feed.fields ?? streamFields)
                return try EventStream(
                    connection: connection, feed: feed, subscription: feed.subscribe(), misbehaviour: misbehaviour
                ).run()
            case .silence:
                _ = try connection.waitForEnd(within: Serving.firstLimit)
                return
            case .terminal(let id):
                return try serveTerminal(id, for: request, on: connection)
            }
            if !received.head.keepsAlive { return }
            limit = idleLimit
            hasAnswered = true
        }
    }

    private func readHead(_ connection: TestConnection, within limit: Duration) throws -> [UInt8]? {
        do {
            let raw = try connection.readThrough(
                "\r\n\r\n", within: limit, waitingFor: "a request", maximum: Serving.headLimit)
            // The reader checks the size only while a head is incomplete. A head that arrives at once is complete
            // immediately, so check its size here.
            if let raw, raw.count > Serving.headLimit { throw TestKitError.malformed("a long head") }
            return raw
        } catch TestKitError.malformed {
            try connection.respond(431, "Request Header Fields Too Large", headers: [("Connection", "close")])
            try connection.finish(within: .seconds(5))
            return nil
        }
    }

    private func write(_ answer: SimulatedAnswer, to connection: TestConnection, _ request: Request) throws {
        let isAskedToCompress = request.fields.first("Accept-Encoding")?.contains("gzip") == true
        let answer = compresses && isAskedToCompress ? answer.compressed : answer
        try connection.writeHead(answer.status, answer.reason, headers: fields(of: answer, to: request))
        if answer.isHead { return }
        if answer.isChunked {
            if !answer.body.isEmpty { try connection.writeChunk(answer.body, within: .seconds(600)) }
            try connection.writeLastChunk()
        } else if !answer.body.isEmpty {
            try connection.write(answer.body, within: .seconds(600))
        }
    }
}

/// The limits of a connection.
enum Serving {
    /// The time limit for the first request of a connection, and for a request that hangs.
    static let firstLimit: Duration = .seconds(3600)
    /// The maximum size of a request head in bytes.
    static let headLimit = 16 * 1024
}

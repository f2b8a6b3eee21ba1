// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Sends deliberately broken responses.
extension Application {
    /// Sends a response with the fault of its path. The connection ends after the fault.
    ///
    /// - Returns: Whether the path has a fault. Without a fault, the caller sends the usual response.
    func breakOff(_ answer: SimulatedAnswer, to request: Request, on connection: TestConnection) throws -> Bool {
        guard let fault = misbehaviour.current.fault(for: "/\(request.path)") else { return false }
        var head = fields(of: answer, to: request)
        let half = answer.body.prefix(answer.body.count / 2)
        switch fault {
        case .hangBeforeHead: return try hang(connection)
        case .closeBeforeHead: return true
        case .hangAfterHead:
            try connection.writeHead(answer.status, answer.reason, headers: head)
            return try hang(connection)
        case .closeInBody, .resetInBody:
            try connection.writeHead(answer.status, answer.reason, headers: head)
            try answer.isChunked && !half.isEmpty ? connection.writeChunk(half) : connection.write(half)
            if fault == .resetInBody { connection.reset() }
        case .bodyTooShort, .bodyTooLong:
            let count = fault == .bodyTooShort ? answer.body.count + 10 : max(0, answer.body.count - 10)
            head = head.map { $0.0.lowercased() == "content-length" ? ($0.0, "\(count)") : $0 }
            try connection.writeHead(answer.status, answer.reason, headers: head)
            guard answer.isChunked else {
                try connection.write(answer.body)
                break
            }
            // If a chunked body is too short, its last chunk is missing. If a chunked body is too long, further bytes
            // follow the last chunk.
            if !answer.body.isEmpty { try connection.writeChunk(answer.body) }
            if fault == .bodyTooLong {
                try connection.writeLastChunk()
                try connection.write("0123456789")
            }
        }
        return true
    }

    /// Sends an event stream with the fault of its path. The stream contains at most the first event.
    func breakOff(stream first: String, _ request: Request, _ connection: TestConnection) throws -> Bool {
        guard let fault = misbehaviour.current.fault(for: "/\(request.path)") else { return false }
        switch fault {
        case .bodyTooShort, .bodyTooLong: return false
        case .hangBeforeHead: return try hang(connection)
        case .closeBeforeHead: return true
        case .hangAfterHead:
            try connection.writeHead(200, headers: streamFields)
            return try hang(connection)
        case .closeInBody, .resetInBody:
            try connection.writeHead(200, headers: streamFields)
            try connection.writeChunk(first)
            if fault == .resetInBody { connection.reset() }
        }
        return true
    }

    private func hang(_ connection: TestConnection) throws -> Bool {
        try connection.waitForEnd(within: Serving.firstLimit)
        return true
    }
}

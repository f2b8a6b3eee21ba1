// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The terminals of a server, and the tickets with which browsers connect to the terminals.
final class Terminals2: Sendable {
    /// A terminal, which remains in the list after its shell has exited.
    struct Terminal: Sendable {
        let id: String
        let directory: String
        var title: String
        let command: String
        let arguments: [JSON]
        let workingDirectory: String
        var exitCode: Int?

        /// The terminal in the format of responses.
        var json: JSON {
            let info: JSON = [
                "id": .string(id), "title": .string(title), "command": .string(command), "args": .array(arguments),
                "cwd": .string(workingDirectory), "status": exitCode == nil ? "running" : "exited",
                "pid": .integer(Int(getpid())),
            ]
            return info.adding(exitCode.map { [("exitCode", .integer($0))] } ?? [])
        }
    }

    private struct State {
        var terminals: [Terminal] = []
        /// The terminal and the expiry of each ticket.
        var tickets: [String: (terminal: String, end: Deadline)] = [:]
    }

    /// The lifetime of a ticket in seconds.
    static let ticketSeconds = 60

    private let state = Monitor(State())

    /// Returns a directory's terminals in the order of their creation.
    func list(_ directory: String) -> [Terminal] {
        state.withLock { $0.terminals.filter { $0.directory == directory } }
    }

    subscript(id: String) -> Terminal? { state.withLock { $0.terminals.first { $0.id == id } } }

    func add(_ terminal: Terminal) { state.withLock { $0.terminals.append(terminal) } }

    /// Changes a terminal and returns its new state; nil if the terminal does not exist.
    @discardableResult
    func update(_ id: String, _ change: (inout Terminal) -> Void) -> Terminal? {
        state.withLock { state in
            guard let index = state.terminals.firstIndex(where: { $0.id == id }) else { return nil }
            change(&state.terminals[index])
            return state.terminals[index]
        }
    }

    /// Removes a terminal. Returns whether the terminal existed.
    func remove(_ id: String) -> Bool {
        state.withLock { state in
            let before = state.terminals.count
            state.terminals.removeAll { $0.id == id }
            return state.terminals.count < before
        }
    }

    /// Creates a ticket for one connection to a terminal.
    func makeTicket(for id: String, lasting time: Duration = .seconds(ticketSeconds)) -> String {
        let ticket = Identifier.uuid()
        state.withLock { $0.tickets[ticket] = (id, Deadline(after: time)) }
        return ticket
    }

    /// Invalidates a ticket. Returns whether the ticket was valid for this terminal and had not expired.
    func redeem(_ ticket: String, for id: String) -> Bool {
        state.withLock { state in
            guard let known = state.tickets.removeValue(forKey: ticket) else { return false }
            return known.terminal == id && !known.end.hasPassed
        }
    }
}

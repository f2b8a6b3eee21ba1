import Glibc
import TestKit

/// The terminals of a server, and the tickets with which a browser opens their sockets.
final class Terminals2: Sendable {
    /// One terminal. It stays in the list when its shell has exited.
    struct Terminal: Sendable {
        let id: String
        let directory: String
        var title: String
        let command: String
        let arguments: [JSON]
        let workingDirectory: String
        var exitCode: Int?

        /// As answers show it.
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
        /// The terminal that each ticket is for, and until when.
        var tickets: [String: (terminal: String, end: Deadline)] = [:]
    }

    /// How long a ticket counts.
    static let ticketSeconds = 60

    private let state = Monitor(State())

    /// A directory's terminals, in the order in which they were made.
    func list(_ directory: String) -> [Terminal] {
        state.withLock { $0.terminals.filter { $0.directory == directory } }
    }

    subscript(id: String) -> Terminal? { state.withLock { $0.terminals.first { $0.id == id } } }

    func add(_ terminal: Terminal) { state.withLock { $0.terminals.append(terminal) } }

    /// Changes a terminal and returns it as it is then; nil when there is none.
    @discardableResult
    func update(_ id: String, _ change: (inout Terminal) -> Void) -> Terminal? {
        state.withLock { state in
            guard let index = state.terminals.firstIndex(where: { $0.id == id }) else { return nil }
            change(&state.terminals[index])
            return state.terminals[index]
        }
    }

    /// Removes a terminal; whether there was one.
    func remove(_ id: String) -> Bool {
        state.withLock { state in
            let before = state.terminals.count
            state.terminals.removeAll { $0.id == id }
            return state.terminals.count < before
        }
    }

    /// A ticket with which a terminal can be opened once.
    func makeTicket(for id: String, lasting time: Duration = .seconds(ticketSeconds)) -> String {
        let ticket = Identifier.uuid()
        state.withLock { $0.tickets[ticket] = (id, Deadline(after: time)) }
        return ticket
    }

    /// Takes a ticket; whether it was one for this terminal and still counted.
    func redeem(_ ticket: String, for id: String) -> Bool {
        state.withLock { state in
            guard let known = state.tickets.removeValue(forKey: ticket) else { return false }
            return known.terminal == id && !known.end.hasPassed
        }
    }
}

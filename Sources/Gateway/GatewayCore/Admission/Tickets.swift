// SPDX-License-Identifier: Apache-2.0

package import Access
import Encodings
package import EventLoop
import HTTPServer
import HTTPTypes
import Locking
import Sodium

/// The tickets that clients have not used yet. A ticket opens one stream or WebSocket without a key, because a browser's
/// `EventSource` and `WebSocket` can set no `Authorization` field. All loops share the object.
package final class Tickets: Sendable {
    /// The time for which a ticket is valid.
    package static let lifetime = Duration.seconds(30)
    /// The maximum number of unused tickets, which bounds the memory.
    private static let limit = 10_000
    /// The maximum number of unused tickets of a key, so that one key cannot use up the tickets of all others.
    private static let limitOfKey = 500
    /// The text before the random digits. Other values of the parameter `ticket` belong to OpenCode.
    static let prefix = Array("vt_".utf8)
    /// The number of random digits: 166 random bits.
    private static let digits = 28

    private struct Ticket {
        let principal: Principal
        let target: [UInt8]
        let end: MonotonicTime
    }

    /// The tickets by the hash of their text.
    private let tickets = Locked<[String: Ticket]>([:])

    /// Creates a collection without tickets.
    package init() {}

    /// Returns a new ticket; nil if there are too many unused tickets.
    ///
    /// - Parameters:
    ///   - principal: The principal of the request that the ticket opens.
    ///   - target: The target of this request, without the ticket.
    package func issue(to principal: Principal, for target: [UInt8], at now: MonotonicTime) -> [UInt8]? {
        let text = Self.prefix + RandomDigits.text(Self.digits)
        return tickets.withLock { tickets in
            if tickets.count >= Self.limitOfKey { tickets = tickets.filter { $0.value.end > now } }
            // The sessions of a key count with the key.
            let ofKey = tickets.values.count { $0.principal.sessionParent == principal.sessionParent }
            guard tickets.count < Self.limit, ofKey < Self.limitOfKey else { return nil }
            tickets[Hash.hex(text)] = Ticket(principal: principal, target: target, end: now + Self.lifetime)
            return text
        }
    }

    /// Uses a ticket up. Returns the principal of the ticket; nil if the ticket is unknown, has expired, or was issued for
    /// another target.
    func redeem(_ text: [UInt8], for target: [UInt8], at now: MonotonicTime) -> Principal? {
        guard let ticket = tickets.withLock({ $0.removeValue(forKey: Hash.hex(text)) }), ticket.end > now,
            ticket.target == target
        else { return nil }
        return ticket.principal
    }
}

/// The parameter `ticket` in the query of a request target.
package enum TicketParameter {
    private static let name = Array("ticket=".utf8) + Tickets.prefix

    /// Returns the ticket in a target; nil if there is none. Only a parameter with this exact spelling is a ticket of the
    /// gateway.
    static func value(in target: ArraySlice<UInt8>) -> [UInt8]? {
        parameter(in: target).map { Array(target[$0].dropFirst(name.count - Tickets.prefix.count)) }
    }

    /// Returns a target without the gateway's tickets. If the target contains none, returns the target unchanged.
    ///
    /// The method reads the target once, because a client without a key can send many tickets.
    package static func removed(from target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard parameter(in: target) != nil, let query = target.firstIndex(of: UInt8(ascii: "?")) else { return target }
        let kept = target[(query + 1)...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter {
            !$0.starts(with: name)
        }
        guard !kept.isEmpty else { return target[..<query] }
        return target[...query] + kept.joined(separator: [UInt8(ascii: "&")])
    }

    /// Returns the range of the first parameter that is a ticket.
    private static func parameter(in target: ArraySlice<UInt8>) -> Range<Int>? {
        guard let query = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var start = query + 1
        while start < target.endIndex {
            let end = target[start...].firstIndex(of: UInt8(ascii: "&")) ?? target.endIndex
            if target[start..<end].starts(with: name) { return start..<end }
            start = end + 1
        }
        return nil
    }
}

extension Admission {
    /// Returns the admission by a ticket; nil if the request contains none.
    ///
    /// A ticket opens only streams and WebSockets. A client that can set fields can send its key.
    static func judge(
        ticketIn head: RequestHead, _ tickets: Tickets, _ keys: AcceptedKeys, at now: MonotonicTime
    ) -> Admission? {
        guard head.method == .get, let text = TicketParameter.value(in: head.target[...]) else { return nil }
        let isStream = head.fields.hasElement(in: .accept, where: isEventStream)
        guard isStream || head.fields.contains(.webSocket, in: .upgrade) else { return .refused(.ticketOfOtherRequest) }
        let target = Array(TicketParameter.removed(from: head.target[...]))
        guard let principal = tickets.redeem(text, for: target, at: now) else { return .refused(.unusableTicket) }
        // The key may have lost rights since the ticket was issued.
        guard let rights = keys.rights(of: principal), rights.includes(principal.rights) else {
            return .refused(.unusableTicket)
        }
        return .admitted(principal)
    }

    private static func isEventStream(_ element: Span<UInt8>) -> Bool {
        element.count >= eventStream.count
            && element.extracting(first: eventStream.count).equalsIgnoringCase(eventStream.span)
    }

    private static let eventStream = Array("text/event-stream".utf8)
}

// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPClient
internal import Instances
import OpenCodeFamilies

/// A search for a session's descendants that queries instances. The log alone is not sufficient, because it may no
/// longer contain the events that report the beginning of a descendant.
final class ChildSessions {
    /// The time limit for all queries together. After this time, the stream begins without the descendants that the
    /// instances have not reported yet.
    static let limit = Duration.seconds(5)

    private let owner: GatewayLoop
    private let deadline: MonotonicTime
    private var found: Set<[UInt8]>
    private var unasked: [(session: [UInt8], endpoint: InstanceEndpoint)]
    private var report: ((Set<[UInt8]>) -> Void)?

    /// Creates a search that has not begun.
    ///
    /// - Parameters:
    ///   - endpoints: The instances that may have the session.
    ///   - report: Called once with the session and the descendants that were found, unless this
    ///     object is deallocated first.
    init(
        _ session: [UInt8], of endpoints: [InstanceEndpoint], _ owner: GatewayLoop,
        report: @escaping (Set<[UInt8]>) -> Void
    ) {
        self.owner = owner
        self.report = report
        deadline = owner.loop.now + Self.limit
        found = [session]
        unasked = endpoints.map { (session, $0) }
    }

    /// Sends the first query, or reports immediately if there is no instance to query.
    func start() { next() }

    private func next() {
        guard found.count < EventSelector.mostSessions, owner.loop.now < deadline,
            let (session, endpoint) = unasked.popLast(),
            let children = SessionChildren(of: session, family: endpoint.family)
        else {
            defer { report = nil }
            report?(found)
            return
        }
        requestPage(children.firstTarget, about: children, at: endpoint)
    }

    private func requestPage(_ target: [UInt8], about children: SessionChildren, at endpoint: InstanceEndpoint) {
        let query = InstanceQuery(endpoint: endpoint, target: target, timeout: deadline - owner.loop.now)
        var children = children
        WholeAnswer.send(query.request(), of: owner.client, within: query.timeout) { [weak self] status, bytes in
            guard status == 200 else { return }
            children.parse(bytes) { self?.add($0, endpoint) }
        } report: { [weak self] outcome in
            guard let self else { return }
            guard case .answered(200, _) = outcome, let target = children.nextTarget() else { return next() }
            requestPage(target, about: children, at: endpoint)
        }
    }

    private func add(_ child: [UInt8], _ endpoint: InstanceEndpoint) {
        guard found.count < EventSelector.mostSessions, found.insert(child).inserted else { return }
        unasked.append((child, endpoint))
    }
}

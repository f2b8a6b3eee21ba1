// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
import HTTPClient
import HTTPTypes
internal import Instances
import OpenCodeFamilies

/// A reader of an instance's own session list. The reader requests the list page by page, to find the
/// directory of each session.
final class SessionFilling {
    /// The time limit for one page. After the same time since the start, the reader requests no further pages.
    private static let pageTimeout = Duration.seconds(5)

    private let endpoint: InstanceEndpoint
    private let client: UpstreamClient
    private var listing: SessionListing
    private let onSession: (_ session: [UInt8], _ directory: [UInt8]) -> Void
    private let finished: () -> Void
    private let startTime = MonotonicTime.now

    /// Creates a reader of an instance's session list.
    ///
    /// - Parameters:
    ///   - onSession: Called for each session.
    ///   - finished: Called once, even if the instance has not responded.
    init(
        _ endpoint: InstanceEndpoint, _ client: UpstreamClient,
        onSession: @escaping (_ session: [UInt8], _ directory: [UInt8]) -> Void, finished: @escaping () -> Void
    ) {
        self.endpoint = endpoint
        self.client = client
        self.onSession = onSession
        self.finished = finished
        listing = SessionListing(family: endpoint.family)
    }

    /// Requests the first page of the list.
    func start() { requestPage(listing.firstTarget) }

    private func requestPage(_ target: [UInt8]) {
        let query = InstanceQuery(endpoint: endpoint, target: target, timeout: Self.pageTimeout)
        WholeAnswer.send(query.request(), of: client, within: query.timeout) { [weak self] status, bytes in
            guard let self, status == 200 else { return }
            listing.parse(bytes, onSession: onSession)
        } report: { [weak self] outcome in
            guard let self else { return }
            let isLate = MonotonicTime.now - startTime > Self.pageTimeout
            guard case .answered(200, _) = outcome, let next = listing.nextTarget(), !isLate else { return finished() }
            requestPage(next)
        }
    }
}

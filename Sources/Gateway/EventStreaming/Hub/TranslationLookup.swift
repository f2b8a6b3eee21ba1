// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPClient
internal import Instances
import OpenCodeFamilies

/// A set of queries to an instance for a fact that the translation of the instance's events needs.
final class TranslationLookup {
    /// The time limit for the instance's responses. The streams wait for these responses.
    private static let timeout = Duration.seconds(5)
    /// The maximum size in bytes of an accepted body. The gateway treats a larger response as missing.
    private static let longestBody = 4 << 20

    private var replies: [InstanceReply?]
    private var missing: Int
    private let finish: ([InstanceReply?]) -> Void

    private init(_ count: Int, _ finish: @escaping ([InstanceReply?]) -> Void) {
        replies = Array(repeating: nil, count: count)
        missing = count
        self.finish = finish
    }

    /// Queries the instance for the fact that a translation needs.
    ///
    /// - Parameters:
    ///   - directory: The directory of the project.
    ///   - report: Called once with the result.
    static func start(
        _ query: TranslationQuery, at endpoint: InstanceEndpoint, in directory: [UInt8], with client: UpstreamClient,
        report: @escaping (TranslationAnswer) -> Void
    ) {
        switch query {
        case .defaults:
            let targets = TranslationQueries.defaults(in: directory)
            request([targets.configuration, targets.model], at: endpoint, with: client) { replies in
                report(
                    .defaults(
                        version: endpoint.version ?? "", configuration: body(replies[0]), model: body(replies[1])))
            }
        case .session(let id):
            guard let targets = TranslationQueries.session(id) else { return report(.unknown) }
            request([targets.session, targets.messages, targets.inbox, targets.active], at: endpoint, with: client) {
                replies in
                guard let session = replies[0] else { return report(.nothing) }
                guard session.status == 200 else { return report(session.status == 404 ? .unknown : .nothing) }
                report(
                    .session(
                        session.body, messages: body(replies[1]), inbox: body(replies[2]), active: body(replies[3])))
            }
        }
    }

    /// Sends the requests for all targets at once.
    private static func request(
        _ targets: [[UInt8]], at endpoint: InstanceEndpoint, with client: UpstreamClient,
        then finish: @escaping ([InstanceReply?]) -> Void
    ) {
        let lookup = TranslationLookup(targets.count, finish)
        for (index, target) in targets.enumerated() {
            let query = InstanceQuery(endpoint: endpoint, target: target, timeout: timeout)
            query.send(through: client, longestBody: longestBody) { lookup.answered(index, $0) }
        }
    }

    private func answered(_ index: Int, _ reply: InstanceReply?) {
        replies[index] = reply
        missing -= 1
        if missing == 0 { finish(replies) }
    }

    private static func body(_ reply: InstanceReply?) -> [UInt8] { reply?.status == 200 ? reply?.body ?? [] : [] }
}

// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPClient
import HTTPTypes

/// An event stream of an instance that makes the instance open a directory. The gateway closes the stream as soon as
/// the first bytes arrive.
final class DirectoryOpening: UpstreamDelegate {
    private var transfer: UpstreamTransfer?
    private var report: ((Bool) -> Void)?

    /// Starts the stream.
    ///
    /// - Parameter report: Called once unless this object is cancelled. The argument states whether the instance serves
    ///   such a stream.
    init(
        _ client: UpstreamClient, _ instance: InstanceAddress, target: ArraySlice<UInt8>, fields: FieldList,
        report: @escaping (Bool) -> Void
    ) {
        self.report = report
        transfer = client.start(
            UpstreamRequest(
                instance: instance, method: .get, methodName: "GET", target: target, fields: fields, body: .none,
                isAlone: true), delegate: self)
    }

    func cancel() {
        transfer?.cancel()
        transfer = nil
        report = nil
    }

    private func finish(_ isAccepted: Bool) {
        let report = report
        cancel()
        report?(isAccepted)
    }

    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        if head.status != 200 || !head.isEventStream || framing == .none { finish(false) }
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        // The first bytes show that the stream has begun, so the directory is open.
        finish(true)
        return true
    }

    func answerEnded(trailers: FieldList) { finish(false) }
    func answerFailed(_ failure: UpstreamFailure) { finish(false) }
    func answerSettled() {}
    func uploadHasRoom() {}
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {}
}

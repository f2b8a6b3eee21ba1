// SPDX-License-Identifier: Apache-2.0

import Access
import GatewayCore
import WebSockets

/// The result of admitting a client. The client's socket opens a moment later, and the policy may have changed by then.
struct ChatAdmission: Sendable {
    /// The rights that the chat uses; nil for a client that was admitted without a key.
    let usedRights: UsedRights?
    /// Whether there was room for another socket.
    let hasRoom: Bool

    /// Returns the status with which the socket must be closed as soon as it opens; nil if it may stay open.
    ///
    /// - Parameter keys: The keys at the time when the socket opens.
    func refusal(under keys: AcceptedKeys) -> CloseStatus? {
        if let usedRights, !usedRights.arePermitted(by: keys) { return .revoked }
        return hasRoom ? nil : CloseStatus(.tryAgainLater, "too many chats are open; try again later")
    }
}

extension CloseStatus {
    /// The status for a socket whose key is no longer valid.
    static let revoked = CloseStatus(.policyViolation, "the key was revoked")
}

// SPDX-License-Identifier: Apache-2.0

import EventLoop

extension ClientConnection {
    /// The id of the user who owns the client's end of the connection; nil if the kernel does not report one
    /// (``PeerUser``). Queries the kernel each time.
    package var peerUser: UInt32? { PeerUser.id(ofPeerOf: descriptor) }
}

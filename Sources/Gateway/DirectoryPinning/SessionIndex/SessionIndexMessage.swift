// SPDX-License-Identifier: Apache-2.0

import GatewayCore
package import OpenCodeFamilies

/// An update about the projects and sessions of instances.
package enum SessionIndexMessage: Sendable {
    /// The OpenCode project of an instance's folder, which the control plane returned for the call with this number.
    case openCodeProject(call: Int, OpenCodeProject?)
    /// The project's current directories, which the control plane returned for the call with this number.
    case directories(call: Int, DirectoryScope?)
    /// A message that the loop sent to itself for the call with this number. The arrival of this message shows that the
    /// loop has received all earlier messages.
    case caughtUp(call: Int)
    /// The run of the instance with this slot has opened the project's folder.
    case opened(slot: Int, generation: UInt64)
    /// The directory of a session of the instance with this slot and generation.
    case session(slot: Int, generation: UInt64, id: [UInt8], SessionDirectories.Location)
}

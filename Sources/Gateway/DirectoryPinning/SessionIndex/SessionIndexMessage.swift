// SPDX-License-Identifier: Apache-2.0

import GatewayCore
package import OpenCodeFamilies

/// An update about the projects and sessions of instances.
package enum SessionIndexMessage: Sendable {
    /// The result of the call with this number to the control plane: the OpenCode project of an instance's folder.
    case openCodeProject(call: Int, OpenCodeProject?)
    /// The result of the call with this number to the control plane: the project's current directories.
    case directories(call: Int, DirectoryScope?)
    /// A message that the loop sent to itself during the call with this number. Its arrival shows that all earlier
    /// messages were received.
    case caughtUp(call: Int)
    /// The run of the instance with this slot has opened the project's folder.
    case opened(slot: Int, generation: UInt64)
    /// The directory of a session of the instance with this slot and generation.
    case session(slot: Int, generation: UInt64, id: [UInt8], SessionDirectories.Location)
}

// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import GatewayCore
import Locking
package import Logging

/// The hub's thread and the thread that reads logs.
package final class HubThreads: Sendable {
    /// The mailbox of the hub's thread.
    package let mailbox: Mailbox<HubMessage>
    let reader: EventReaderThread
    let turnEnds = TurnEnds()
    private let thread: WorkerThread

    private struct Handover: @unchecked Sendable {  // The thread receives this value only once, when it starts.
        let hub: HubLoop
    }

    /// Starts both threads.
    ///
    /// - Parameter snapshots: Receives the projects' snapshots.
    package init(
        _ settings: HubSettings, policy: Policy, control: any ProjectControl, snapshots: HubSnapshots, log: Logger
    )
        throws
    {
        let handover = Handover(
            hub: try HubLoop(
                settings, policy: policy, control: control, snapshots: snapshots, log: log, turnEnds: turnEnds))
        mailbox = try handover.hub.openMailbox()
        reader = try EventReaderThread(snapshots, hub: mailbox, turnEnds: turnEnds)
        thread = try WorkerThread(name: "event-hub") {
            do {
                try handover.hub.run()
            } catch {
                log.error("the event hub has ended", LogField("reason", "\(error)"))
            }
        }
    }

    /// Stops both threads and waits for their end. Call this method on another thread.
    package func stop() {
        mailbox.post(.stop)
        thread.join()
        reader.stop()
    }
}

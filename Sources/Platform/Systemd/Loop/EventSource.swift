// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// An event source of the control loop. The source ends with ``cancel()`` or when the last reference to this handle is
/// released.
package final class EventSource: Sendable {
    private let loop: SystemEventLoop
    private let reference: SourceReference

    init(loop: SystemEventLoop, pointer: OpaquePointer) {
        self.loop = loop
        reference = SourceReference(pointer: pointer)
    }

    deinit {
        let reference = reference
        loop.release { reference.free() }
    }

    /// Ends the source, so that its handler is not called again. Call this method only on the loop's thread. Further
    /// calls have no effect.
    package func cancel() {
        loop.checkIsolated()
        reference.disable()
    }

    /// The priority of an event source whose events must be handled before all others.
    static let urgent = Int64(SD_EVENT_PRIORITY_IMPORTANT)

    /// Sets the priority of the source. Among sources that are ready at the same time, lower values are handled first.
    func setPriority(_ priority: Int64, _ detail: String) throws(SystemdError) {
        try SystemdError.check(
            sd_event_source_set_priority(reference.pointer, priority), "sd_event_source_set_priority", detail: detail)
    }
}

/// A counted reference to an sd-event source. The source owns its handler.
struct SourceReference: @unchecked Sendable {  // Used on the loop's thread only; see SystemEventLoop.release.
    let pointer: OpaquePointer

    /// Disables the source, so that it is never dispatched again.
    func disable() { sd_event_source_set_enabled(pointer, Int32(SD_EVENT_OFF)) }

    /// Releases the reference. sd-event then frees the source, and the destroy callback frees the handler.
    func free() { sd_event_source_disable_unref(pointer) }
}

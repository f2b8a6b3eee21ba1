internal import CSystemd

/// Something that the control loop waits for. It ends with ``cancel()`` or when the last reference to this handle goes.
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

    /// Ends the source: its handler is not called again. Only on the loop's thread; a second call does nothing.
    package func cancel() {
        loop.checkIsolated()
        reference.disable()
    }

    /// The priority of what must be known before anything else is done.
    static let urgent = Int64(SD_EVENT_PRIORITY_IMPORTANT)

    /// Has the source's handler called before (negative) or after those of other sources that are due at the same time.
    func setPriority(_ priority: Int64, _ detail: String) throws(SystemdError) {
        try SystemdError.check(
            sd_event_source_set_priority(reference.pointer, priority), "sd_event_source_set_priority", detail)
    }
}

/// One counted reference to an sd-event source, which owns its handler.
struct SourceReference: @unchecked Sendable {  // used on the loop's thread only, see SystemEventLoop.release
    let pointer: OpaquePointer

    /// Keeps the source from ever being dispatched again.
    func disable() { sd_event_source_set_enabled(pointer, Int32(SD_EVENT_OFF)) }

    /// Gives up the reference: sd-event then frees the source, and its destroy callback the handler.
    func free() { sd_event_source_disable_unref(pointer) }
}

/// Where log records go. `write` is called on any thread, loops of the data plane included: it must not wait for I/O.
package protocol LogSink: Sendable {
    /// Takes one record.
    func write(_ record: LogRecord)
}

/// One log line before it is encoded.
package struct LogRecord: Sendable, Equatable {
    /// Wall-clock time in nanoseconds since 1970-01-01 00:00 UTC.
    package var time: Int64
    /// How grave it is.
    package var level: LogLevel
    /// One sentence or phrase for a person, without the values that are fields.
    package var message: String
    /// Named values in the order in which they are written.
    package var fields: [LogField]

    /// A record of that moment.
    package init(time: Int64, level: LogLevel, message: String, fields: [LogField] = []) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }
}

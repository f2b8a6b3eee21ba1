// SPDX-License-Identifier: Apache-2.0

import Glibc
import Storage

/// A process that stores numbers, for tests that kill the process or fill its disk. It prints a line for each event on
/// standard output.
@main enum StorageWriter {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { exit(2) }
        do {
            let file = StateFile(folder: arguments[1], migrations: [Numbers.migration])
            let store = try Store(file, pause: .milliseconds(50)) { event in
                switch event {
                case .waits(let error): printLine("waits: \(error)")
                case .opened: printLine("opened")
                case .fails(let error): printLine("fails: \(error)")
                case .writesAgain: printLine("writes again")
                case .lost(let count): printLine("lost \(count)")
                case .refused(let error): printLine("refused: \(error)")
                }
            }
            printLine("open")
            if arguments.count > 2, let microseconds = Int(arguments[2]) { dieAfter(microseconds: microseconds) }
            switch arguments[0] {
            case "flush": try await count(store) { @Sendable in try await store.flush() }
            case "disk": try await count(store) { @Sendable in try await store.writeToDisk(size: 0) { _ in } }
            case "fill": try await fill(store, arguments[1])
            default: pause()
            }
        } catch {
            printLine("error: \(error)")
        }
    }

    /// Makes the kernel send SIGKILL after this time, even if the machine and this process are busy.
    private static func dieAfter(microseconds: Int) {
        var event = sigevent()
        event.sigev_notify = Int32(SIGEV_SIGNAL)
        event.sigev_signo = SIGKILL
        var timer: timer_t?
        var time = itimerspec()
        time.it_value = timespec(tv_sec: 0, tv_nsec: 1 + microseconds * 1_000)
        guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, timer_settime(timer, 0, &time, nil) == 0 else {
            printLine("error: timer_create \(errno)")
            exit(2)
        }
    }

    /// Adds consecutive numbers until the process is killed, and prints every tenth number after `commit` has returned.
    private static func count(_ store: Store, commit: @Sendable () async throws -> Void) async throws {
        var number = try await store.read { (connection) throws(StorageError) in try Numbers.last(connection) }
        while true {
            number += 1
            let added = number
            store.write(size: 64) { (connection) throws(StorageError) in try Numbers.add(added, connection) }
            guard number % 10 == 0 else { continue }
            try await commit()
            printLine("\(number)")
        }
    }

    /// Adds numbers with a ballast until the disk is full. Then it removes the file `ballast` beside the folder, and
    /// continues.
    private static func fill(_ store: Store, _ folder: String) async throws {
        var number: Int64 = 0
        while number < 100_000 {
            number += 1
            let added = number
            do throws(StorageError) {
                try await store.writeToDisk(size: 4096) { (connection) throws(StorageError) in
                    try Numbers.add(added, ballast: 4096, connection)
                }
            } catch {
                printLine("stopped: \(error.kind) \(error)")
                break
            }
        }
        let last = number
        // No caller waits for this write, so the store keeps it until there is space.
        store.write(size: 64) { (connection) throws(StorageError) in try Numbers.add(last, ballast: 4096, connection) }
        unlink("\(folder)/../ballast")
        try await store.writeToDisk(size: 64) { (connection) throws(StorageError) in
            try Numbers.add(last + 1, connection)
        }
        let numbers = try await store.read { (connection) throws(StorageError) in try Numbers.all(connection) }
        printLine("kept \(numbers == Array(1...(last + 1)))")
    }
}

/// The table of the numbers.
enum Numbers {
    static let migration = Migration(
        1, "CREATE TABLE number (value INTEGER PRIMARY KEY, ballast BLOB NOT NULL) STRICT")

    private struct Number: Row {
        let value: Int64

        init(_ columns: borrowing Columns) throws(StorageError) { value = try columns.integer(0) }
    }

    static func add(_ number: Int64, ballast: Int = 8, _ connection: Connection) throws(StorageError) {
        try connection.run(
            "INSERT INTO number VALUES (?1, ?2)", .integer(number), .bytes([UInt8](repeating: 7, count: ballast)))
    }

    static func last(_ connection: Connection) throws(StorageError) -> Int64 {
        try connection.rows("SELECT coalesce(max(value), 0) FROM number", as: Number.self).first?.value ?? 0
    }

    static func all(_ connection: Connection) throws(StorageError) -> [Int64] {
        try connection.rows("SELECT value FROM number ORDER BY value", as: Number.self).map(\.value)
    }
}

/// Prints a line without buffering, so that the line is not lost if the process is killed afterwards.
func printLine(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

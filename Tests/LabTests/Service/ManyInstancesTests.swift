// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Measures many instances and many starts. The results are printed, and the checked limits allow for a busy machine.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct ManyInstancesTests {
    @Test(arguments: LabRoot.allCases) func `a restarted gateway adopts fifty instances within 3 s and is then idle`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        let names = (1...50).map { "p\($0)" }
        try machine.run("cd && mkdir \(names.joined(separator: " "))")
        try machine.run("systemctl --user start \(names.map { "opencode@\($0)" }.joined(separator: " "))")
        for name in names {
            try machine.waitForStatus(of: name, "the instance", within: .seconds(120)) { $0.state == "ready" }
        }
        let pids = try names.map { try machine.status($0).pid }
        try machine.run("systemctl --user restart viberemote-gateway")
        try eventually("all fifty", within: .seconds(20)) {
            let list = try machine.request("GET", "/projects").text
            let count = list.ranges(of: "\"is_running\":true").count
            return (count == 50, "\(count)")
        }

        #expect(try names.map { try machine.status($0).pid } == pids)

        // The time from the new gateway's first line to the last instance that it reports.
        let log = try machine.output(
            "journalctl --user -u viberemote-gateway -o json --output-fields=MESSAGE,_PID | tail -n 400")
        let entries = log.split(separator: "\n").compactMap { JournalLine(String($0)) }
        let last = try #require(entries.last?.pid)
        let times = entries.filter { $0.pid == last }.map(\.microseconds)
        let readyTimes = entries.filter { $0.pid == last && $0.message.contains("is ready") }.map(\.microseconds)
        let began = try #require(times.min())
        let all = try #require(readyTimes.max())

        #expect(readyTimes.count == 50)

        print("\(root.rawValue): 50 instances adopted \((all - began) / 1000) ms after the gateway's first line")

        #expect(all - began < 3_000_000)

        // There is no polling: with fifty instances and no clients, the gateway sleeps.
        let pid = try machine.property("MainPID", of: "viberemote-gateway.service")
        let ticks = "cut -d ' ' -f 14,15 /proc/\(pid)/stat | tr ' ' '+'"
        let before = try machine.output("echo $(($(\(ticks))))")
        _ = poll(nil, 0, 5_000)
        let after = try machine.output("echo $(($(\(ticks))))")
        let spent = (Int(after) ?? 0) - (Int(before) ?? 0)
        print("\(root.rawValue): \(spent * 10) ms of processor time in 5 s of idling with 50 instances")

        #expect(spent <= 5)
    }

    /// Measures the time from the announcement's entry in the journal until the gateway reports that the instance is
    /// ready.
    @Test(arguments: LabRoot.allCases)
    func `the median time from announcement to ready is below 100 ms over 100 starts`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        try machine.waitForStatus(of: "alpha", "the folder") { $0.state == "stopped" }
        for _ in 1...100 {
            try machine.start(project: "alpha")
            try machine.stop(project: "alpha")
        }
        let log = try machine.output("journalctl --user -o json --output-fields=MESSAGE,_PID")
        var announced: UInt64?
        var delays: [UInt64] = []
        for entry in log.split(separator: "\n").compactMap({ JournalLine(String($0)) }) {
            if entry.message.hasPrefix("opencode server listening on") {
                announced = entry.microseconds
            } else if entry.message.contains("the instance is ready"), let at = announced {
                delays.append(entry.microseconds - at)
                announced = nil
            }
        }

        #expect(delays.count == 100)

        delays.sort()
        let (median, tail) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
        print(
            "\(root.rawValue): journal entry to ready: p50 \(median / 1000) ms, p99 \(tail / 1000) ms of \(delays.count) starts"
        )

        #expect(median < 100_000)
    }
}

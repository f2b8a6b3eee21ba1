// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Systemd

@Suite struct ProcessNumbersTests {
    @Test(arguments: [
        ("Name:\tx\nNSpid:\t4711\nVmRSS:\t1 kB\n", 4711), ("NSpid:\t4711\t58\n", 58), ("NSpid:\t4711\t58\t1", 1),
        ("Pid:\t4711\n", nil), ("NSpid:\n", nil), ("NSpid:\tx\n", nil), ("", nil),
    ])
    func `the innermost process number is the last one of NSpid`(text: String, number: Int32?) {
        #expect(ProcessTable.innermostNumber(inStatus: Array(text.utf8)) == number)
    }

    @Test func `the calling process has its own number in its PID namespace`() {
        let own = ProcessTable.currentProcess

        #expect(ProcessTable.innermostNumber(of: own) == own)
        #expect(ProcessTable.hasNumber(own, among: [own]) == true)
        #expect(ProcessTable.hasNumber(own, among: [getppid()]) == false)
        #expect(ProcessTable.hasNumber(own, among: []) == nil)
    }
}

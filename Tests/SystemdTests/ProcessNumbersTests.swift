import Foundation
import Testing

@testable import Systemd

@Suite struct ProcessNumbersTests {
    @Test(arguments: [
        ("Name:\tx\nNSpid:\t4711\nVmRSS:\t1 kB\n", 4711), ("NSpid:\t4711\t58\n", 58), ("NSpid:\t4711\t58\t1", 1),
        ("Pid:\t4711\n", nil), ("NSpid:\n", nil), ("NSpid:\tx\n", nil), ("", nil),
    ])
    func theInnermostNumberIsTheLast(text: String, number: Int32?) {
        #expect(ProcessTable.innermostNumber(inStatus: Array(text.utf8)) == number)
    }

    @Test func aProcessSeesItselfUnderItsNumber() {
        let own = ProcessTable.ownNumber
        #expect(ProcessTable.innermostNumber(of: own) == own)
        #expect(ProcessTable.hasNumber(own, among: [own]) == true)
        #expect(ProcessTable.hasNumber(own, among: [getppid()]) == false)
        #expect(ProcessTable.hasNumber(own, among: []) == nil)
    }
}

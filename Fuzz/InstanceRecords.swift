// SPDX-License-Identifier: Apache-2.0

// length: 400

import Addresses
import Instances
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd

/// Checks that a parsed record is usable, and is unchanged after it is written and parsed again. The text of every
/// record must be parsable.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    if let record = InstanceRecord(text: text) {
        precondition(text.hasPrefix("viberemote-instance 1\n") && text.utf8.last == 0x0A)
        precondition(record.process.map { $0.number > 1 } ?? true)
        precondition(record.address?.port != 0 && !record.run.isEmpty)
        precondition(ProjectName(directoryName: record.project.bytes) == record.project)
        check(record)
    }
    var input = FuzzInput(data, count)
    let number = Int32(input.byte()) << 8 | Int32(input.byte())
    let value = String(decoding: input.remainder(), as: UTF8.self)
    guard let project = ProjectName("demo") else { return 0 }
    check(
        InstanceRecord(
            project: project, run: value.isEmpty ? "x" : value,
            process: number > 1 ? ProcessIdentity(number: number, startTime: UInt64(number)) : nil, boot: value,
            address: number > 0 ? address(UInt16(number), number % 2 == 0) : nil,
            credentials: number % 2 == 0 ? InstanceCredentials(username: value, password: value) : nil,
            environmentDigest: number % 3 == 0 ? value : nil,
            memory: InstanceMemory(
                family: number % 4 == 0 ? .two : nil, restarts: Int(number), lastError: number % 5 == 0 ? value : nil)))
    return 0
}

private func address(_ port: UInt16, _ isIPv4: Bool) -> InstanceAddress {
    InstanceAddress(ip: isIPv4 ? .loopback : .loopbackIPv6, port: port)
}

private func check(_ record: InstanceRecord) {
    guard let back = InstanceRecord(text: record.text) else { preconditionFailure("a record is not understood") }
    // Compare bytes, because `==` of strings follows Unicode's canonical equivalence.
    precondition(Array(back.text.utf8) == Array(record.text.utf8))
    precondition(back.process == record.process && back.project == record.project)
    precondition(back.address == record.address)
    precondition(bytes(back.credentials?.password) == bytes(record.credentials?.password))
    precondition(back.memory.family == record.memory.family && back.memory.restarts == record.memory.restarts)
    precondition(bytes(back.memory.lastError) == bytes(record.memory.lastError))
    precondition(bytes(back.run) == bytes(record.run) && bytes(back.boot) == bytes(record.boot))
}

private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

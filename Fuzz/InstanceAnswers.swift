// SPDX-License-Identifier: Apache-2.0

// length: 400

import OpenCodeFamilies

/// Checks that parsing an instance's responses about its project and its sessions never crashes. The result must not
/// depend on where a response is split, and must come only from the member that defines it.
///
/// The input consists of a byte that sets the size of the chunks, a byte that selects the test case, and either the
/// body of a response or the bytes from which a body is built.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let chunk = Int(input.byte()) + 1
    if input.byte() & 1 == 0 {
        let body = Array(input.remainder())
        for family in [APIFamily.one, .two, nil] {
            _ = ProjectIdentity(status: 200, body: body, family: family)
            _ = SessionLookup.location(status: 200, body: body, for: family)
            let whole = listed(body, max(1, body.count), family)
            precondition(whole.sessions == listed(body, chunk, family).sessions)
            precondition(whole.next == listed(body, chunk, family).next)
        }
        _ = ProjectFolders.parse(status: 200, body: body)
    } else {
        checkSession(&input)
    }
    return 0
}

private func listed(_ body: [UInt8], _ chunk: Int, _ family: APIFamily?) -> (sessions: [[UInt8]], next: [UInt8]?) {
    var listing = SessionListing(family: family)
    var sessions: [[UInt8]] = []
    for start in stride(from: 0, to: body.count, by: chunk) {
        listing.parse(body.span.extracting(start..<min(start + chunk, body.count))) { sessions += [$0, $1] }
    }
    return (sessions, listing.nextTarget())
}

/// Checks a session whose other texts look like its directory.
private func checkSession(_ input: inout FuzzInput) {
    let directory = Array(String(decoding: input.bytes(endedBy: 0xFF) ?? [], as: UTF8.self).utf8)
    let trap = Array(
        #""title":"\"location\":{\"directory\":\"/x\"}","model":{"directory":"/y","location":{"directory":"/z"}},"#.utf8
    )
    let text = string(directory, escapes: input.byte())
    let two =
        Array(#"{"cursor":{"location":{"directory":"/w"}},"data":{"#.utf8) + trap
        + Array(#""location":{"directory":"#.utf8) + text + Array("}}}".utf8)
    let one = Array("{".utf8) + trap + Array(#""directory":"#.utf8) + text + Array("}".utf8)
    let expected: SessionDirectories.Location? =
        directory.isEmpty || directory.count > 4096 ? nil : .directory(directory)
    precondition(SessionLookup.location(status: 200, body: two, for: .two) == expected)
    precondition(SessionLookup.location(status: 200, body: one, for: .one) == expected)
}

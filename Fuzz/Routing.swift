// SPDX-License-Identifier: Apache-2.0

// length: 128

import HTTPTypes
import Projects

@testable import GatewayCore
@testable import GatewayServer

private let absolute = ["http://example.com", "HTTPS://[::1]:1"].map { Array($0.utf8) }
private let projects = Array("/projects/".utf8)
private let api = Array("/api".utf8)
private let hexadecimal = Array("0123456789ABCDEF".utf8)

/// Checks that the router has a single interpretation of a raw target, and that the instance receives the client's own
/// bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let target = Array(UnsafeBufferPointer(start: data, count: count))
    guard !target.isEmpty else { return 0 }
    if let parts = RequestTarget(target) { check(parts, target) }
    let method: Method = [.get, .post, .delete, .other][target.count % 4]
    let route = match(method, target)
    switch route {
    case .instance(_, let segment, let forwarded): check(method, segment, forwarded, target)
    case .endpoint(let index): check(EndpointTable.gateway.endpoints[index], method, target)
    case .unknownProject(_, let name): check(unknown: name, target)
    case .methodNotAllowed(let allow): precondition(!allow.isEmpty)
    case .notFound: break
    }
    guard target[0] == UInt8(ascii: "/") else { return 0 }
    // The authority of the absolute form makes no difference.
    precondition(match(method, absolute[target.count / 4 % 2] + target) == route)
    return 0
}

private func match(_ method: Method, _ target: [UInt8]) -> EndpointTable.Match {
    let head = RequestHead()
    head.method = method
    head.target = target
    return EndpointTable.gateway.match(head)
}

/// Checks that the endpoint supports the method, and that its path names a valid project.
private func check(_ endpoint: Endpoint, _ method: Method, _ target: [UInt8]) {
    precondition(endpoint.methods.contains(method) && !endpoint.handler.isInstance)
    guard let path = RequestTarget(target)?.path else { preconditionFailure("no target") }
    let parameters = endpoint.path.parameters(of: path)
    precondition(parameters.count == endpoint.path.names.count)
    guard endpoint.path.namesProject else { return precondition(path.elementsEqual(endpoint.path.template.utf8)) }
    guard let name = parameters["name"].flatMap(ProjectName.init(percentEncoded:)) else {
        preconditionFailure("no name")
    }
    precondition(isSafe(name))
}

private func check(_ parts: RequestTarget, _ target: [UInt8]) {
    precondition(parts.path.first == UInt8(ascii: "/") || parts.path.elementsEqual("*".utf8))
    precondition(!parts.path.contains(UInt8(ascii: "?")) && !target.contains(UInt8(ascii: "#")))
    precondition(parts.query.isEmpty || parts.query.first == UInt8(ascii: "?"))
    precondition(ends(target, with: Array(parts.path + parts.query)))
    if target[0] == UInt8(ascii: "/") { precondition(parts.path + parts.query == target[...]) }
}

private func check(_ method: Method, _ segment: ArraySlice<UInt8>, _ forwarded: ArraySlice<UInt8>, _ target: [UInt8]) {
    precondition(method != .other && !segment.contains(UInt8(ascii: "/")) && !segment.contains(UInt8(ascii: "?")))
    precondition(forwarded.first == UInt8(ascii: "/") && !forwarded.contains(UInt8(ascii: "#")))
    // The part after /api is forwarded unchanged. If it is not a path, a slash is added before it.
    let whole = projects + segment + api + forwarded
    let withoutSlash = projects + segment + api + forwarded.dropFirst()
    precondition(ends(target, with: whole) || ends(target, with: withoutSlash))
    guard let name = ProjectName(percentEncoded: segment) else { return }
    precondition(isSafe(name))
    // Every spelling of the name leads to the same project.
    let spelling = name.bytes.flatMap { [UInt8(ascii: "%"), hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
    let again = match(method, projects + spelling + api + forwarded)
    guard case .instance(_, let sameSegment, let sameTarget) = again else { preconditionFailure("another route") }
    precondition(ProjectName(percentEncoded: sameSegment) == name && sameTarget == forwarded)
}

private func ends(_ target: [UInt8], with end: [UInt8]) -> Bool { target.suffix(end.count).elementsEqual(end) }

/// Checks that the rejected segment is not a name, and that the response shows its text.
private func check(unknown name: String, _ target: [UInt8]) {
    guard target[0] == UInt8(ascii: "/") else { return }
    let segment = target.dropFirst(projects.count).prefix { $0 != UInt8(ascii: "/") }
    precondition(name == String(decoding: segment, as: UTF8.self) && ProjectName(percentEncoded: segment) == nil)
}

/// Returns whether a name cannot lead outside the folder of projects.
private func isSafe(_ name: ProjectName) -> Bool {
    !name.bytes.isEmpty && name.bytes[0] != UInt8(ascii: ".") && !name.bytes.contains(UInt8(ascii: "/"))
        && !name.bytes.contains { $0 < 0x20 || $0 == 0x7F }
}

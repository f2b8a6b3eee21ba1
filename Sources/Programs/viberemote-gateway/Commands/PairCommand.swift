// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPTypes
import JSONText
import QRCodes
import Settings
import SignIn

/// The command `pair`, which requests a pairing code and prints it as a QR code and as a link.
enum PairCommand {
    private static let refusedExitCode: Int32 = 1
    private static let unreachableExitCode: Int32 = 3

    /// Requests a code, prints it, and returns the exit code.
    static func run(_ request: PairRequest, isJSON: Bool, configuration: Configuration) -> Int32 {
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        let response: GatewayCall.Response
        do throws(GatewayCall.Failure) {
            // Do not send the key to another program that uses the address.
            try GatewayCall.requireGateway(at: configuration.listen)
            response = try GatewayCall.perform(
                .post, PairingEndpoints.codesPath, body: body(request).bytes, to: configuration.listen,
                key: configuration.keys.first?.secret)
        } catch {
            StandardStreams.writeError(
                "Cannot reach a gateway: \(error) Start one with `\(GatewayVersion.program) serve`, or set --listen to the "
                    + "running gateway's address.")
            return unreachableExitCode
        }
        guard response.status == 201, let code = CodeView(jsonText: response.body) else {
            StandardStreams.writeError(GatewayCall.refusal(response, configuration))
            // A value is wrong.
            return response.status == 400 ? Command.usageExitCode : refusedExitCode
        }
        let addresses = PairAddresses(
            publicURL: configuration.publicURL, listen: configuration.listen,
            configuration.publicURL == nil ? .current() : .init())
        let links = addresses.urls.map { "\($0)\(PairingEndpoints.pagePath)#\(code.code)" }
        let text =
            isJSON
            ? json(code, links)
            : description(code, links, isLocal: addresses.areLocal, isTerminal: isatty(STDOUT_FILENO) == 1)
        guard StandardStreams.writeLine(text) else {
            StandardStreams.writeError(
                "The pairing code cannot be printed. Free space for the output, and run the command again.")
            return refusedExitCode
        }
        if addresses.areLocal { StandardStreams.writeError(localAdvice(configuration.listen)) }
        return 0
    }

    private static func body(_ request: PairRequest) -> JSON {
        [
            "name": request.name.map { .string($0) },
            "projects": request.projects.isEmpty ? nil : .array(request.projects.map { .string($0) }),
            "allow": request.allow.map { .string($0) }, "expires": request.expires.map { .string($0) },
        ]
    }

    /// Returns the QR code of the first link, and all links. A QR code has no use in a file, or if no other device can open
    /// the link.
    private static func description(_ code: CodeView, _ links: [String], isLocal: Bool, isTerminal: Bool) -> String {
        var parts: [String] = []
        if isTerminal, !isLocal, let link = links.first, let picture = QRCode(link) {
            parts += [picture.terminalText + "\n", "Scan the code with the phone, or open this link on the device:"]
        } else {
            parts.append("Open this link on the device:")
        }
        parts += links.map { "  \($0)" }
        parts.append("The link is valid until \(PlainText.line(code.expires)), for one device.")
        return parts.joined(separator: "\n")
    }

    private static func json(_ code: CodeView, _ links: [String]) -> String {
        let value: JSON = [
            "code": .string(code.code), "expires": .string(code.expires), "links": .array(links.map { .string($0) }),
        ]
        return String(decoding: value.bytes, as: UTF8.self)
    }

    private static func localAdvice(_ listen: ListenAddress) -> String {
        "Only programs on this machine can open the link, because the gateway listens on \(listen). Set --public-url to the "
            + "address of your reverse proxy, publish the port with `tailscale serve \(listen.port)`, or set --listen to "
            + "0.0.0.0:\(listen.port) for the local network."
    }
}

/// The response with a pairing code.
private struct CodeView: JSONReadable {
    let code: String
    let expires: String

    init(json: JSON) throws(JSONMismatch) {
        code = try json.required("code")
        expires = try json.required("expires")
    }
}

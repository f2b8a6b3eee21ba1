// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import HTTPTypes
internal import Instances
import OpenCodeFamilies

/// Decides whether a key permits a request to an instance.
enum InstanceScope {
    /// Returns the refusal of a request with this judgement; nil if a key with these rights may send it, apart from the
    /// content that ``examination(of:_:)`` names.
    static func refusal(of judgement: RouteJudgement, _ rights: KeyRights, project: String) -> GatewayError? {
        guard rights.includes(project: project) else {
            return GatewayError(404, InstanceMessage.projectNotFound(project))
        }
        if judgement.isPairing { return pairing }
        if let refusal = judgement.scope.refusal(of: rights, project: project) { return refusal }
        return nil
    }

    /// Returns the content of a permitted request that the gateway examines for a key with these rights.
    static func examination(of judgement: RouteJudgement, _ rights: KeyRights) -> ContentExamination {
        var examination = ContentExamination()
        switch judgement.route?.content {
        case .reply(let reply) where rights.scope < .write: examination.reply = reply
        case .secrets(let document) where rights.scope < .run: examination.secrets = document
        case .projects(let list) where rights.projects != nil: examination.list = list
        default: break
        }
        if rights.projects != nil, let route = judgement.route {
            let references = RequestReferences(route)
            if references.haveBody { examination.references = references }
        }
        return examination
    }

    /// Returns the scope with which the gateway forwards a request and its response without examining them.
    static func unexaminedScope(of judgement: RouteJudgement) -> Scope {
        switch judgement.route?.content {
        case .reply: max(judgement.scope, .write)
        case .secrets: max(judgement.scope, .run)
        default: judgement.scope
        }
    }

    /// Returns the refusal of a request that belongs to OpenCode 2's own pairing; nil for all other requests. No key
    /// permits the pairing, because its response contains the instance's password.
    static func pairingRefusal(_ method: String, _ target: ArraySlice<UInt8>) -> GatewayError? {
        // Judging a request is expensive, so first look for a letter that both paths contain. An encoded path may contain
        // any letter.
        guard mayBePairing(target.span) else { return nil }
        return RouteJudgement(method, target, for: .two).isPairing ? pairing : nil
    }

    /// Returns whether a target contains `pair` or `connect`, in upper or lower case, or an encoded byte.
    private static func mayBePairing(_ target: Span<UInt8>) -> Bool {
        for index in target.indices {
            switch target[index] {
            case UInt8(ascii: "%"): return true
            case UInt8(ascii: "p"), UInt8(ascii: "P"): if spells(target, at: index, pair) { return true }
            case UInt8(ascii: "c"), UInt8(ascii: "C"): if spells(target, at: index, connect) { return true }
            default: break
            }
        }
        return false
    }

    private static func spells(_ target: Span<UInt8>, at start: Int, _ word: [UInt8]) -> Bool {
        guard start + word.count <= target.count else { return false }
        for offset in word.indices where target[start + offset].lowercasedLetter != word[offset] { return false }
        return true
    }

    private static let pair = Array("pair".utf8)
    private static let connect = Array("connect".utf8)
    private static let pairing = GatewayError(
        403,
        "OpenCode's own pairing would reveal the instance's password. Pair the device with `viberemote-gateway pair` "
            + "instead.")

    /// The refusal of a key that is limited to projects while the gateway does not check directories.
    static let needsPinning = GatewayError(
        403, "Keys for some projects require --directory-pinning on. Turn it on, or use a key for all projects.")
}

extension Scope {
    /// Returns the refusal of a request that needs this scope; nil if a key with these rights may send it.
    ///
    /// - Parameter project: The project that the request concerns; nil if it concerns none or several.
    func refusal(of rights: KeyRights, project: String?) -> GatewayError? {
        guard rights.scope < self else { return nil }
        let object = project ?? "projects"
        let permitted =
            switch rights.scope {
            case .read: "read \(object)"
            case .answer: "read \(object) and answer questions"
            case .write: "work in \(object)"
            case .run, .admin: "control \(object)"
            }
        let missing =
            switch self {
            case .read: "read \(project == nil ? "them" : "it")"
            case .answer: "answer questions"
            case .write: "change \(project == nil ? "them" : "it")"
            case .run: "control \(project == nil ? "them" : "it")"
            case .admin: "manage the gateway"
            }
        return GatewayError(403, "This key may \(permitted) but not \(missing): it needs \"\(rawValue)\".")
    }
}

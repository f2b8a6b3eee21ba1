// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Compares the sentences of the gateway's errors with docs/errors.md.
@Suite("docs/errors.md describes every error of the gateway")
struct DocumentedErrorTests {
    /// The files that create an error with a sentence from another place, and the files that contain these sentences.
    private static let declarations = [
        "BridgeRun+Ending.swift": ["LostInstance.swift"],
        "BridgeRun.swift": ["LostInstance.swift"],
        "ClientConnection+Request.swift": ["RequestFraming.swift"],
        "ControlAnswers.swift": ["ControlAnswers.swift", "InstanceMessage.swift"],
        "Admission.swift": ["Principal.swift"],
        "ChatFeature.swift": ["ChatFeature.swift"],
        "ContentExamination.swift": ["ContentExamination.swift", "ReplyBody.swift"],
        "DirectoryPinningFeature.swift": ["DirectoryRules.swift"],
        "EventEndpoint.swift": ["EventEndpoint.swift"],
        "GatewayLoop+Listeners.swift": ["OpenRule.swift"],
        "ExaminedExchange.swift": ["LostInstance.swift"],
        "InstanceScope.swift": ["InstanceScope.swift", "InstanceMessage.swift"],
        "KeyService.swift": ["KeyService.swift", "KeyRequests.swift"],
        "LostInstance.swift": ["LostInstance.swift"],
        "OpenCodeStreamOpening.swift": ["EventStreamRequest.swift"],
        "ProxyExchange+Answer.swift": ["EventFilter.swift"],
        "ProxyExchange.swift": ["LostInstance.swift"],
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `docs/errors.md quotes every sentence of a GatewayError below a heading`() throws {
        let sources = try Self.sources()
        let quotations = Self.quotations(in: try Self.text(of: Self.root.appending(path: "docs/errors.md")))

        for file in sources.keys.sorted() {
            for sentence in try Self.sentences(of: file, in: sources) {
                let isQuoted = quotations.contains { Self.quotes($0, sentence) }

                #expect(isQuoted, "docs/errors.md does not quote “\(sentence)” (\(file)) below a heading")
            }
        }
    }

    private static func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// Returns all Swift files of `Sources` by their names.
    private static func sources() throws -> [String: String] {
        let folder = root.appending(path: "Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try Dictionary(
            paths.map { (URL(filePath: $0).lastPathComponent, try text(of: folder.appending(path: $0))) },
            uniquingKeysWith: { $0 + "\n" + $1 })
    }

    /// Returns the first sentence of each error that the file creates, with `…` in place of each value.
    private static func sentences(of file: String, in sources: [String: String]) throws -> [String] {
        let text = try #require(sources[file])
        guard text.contains("GatewayError(") else { return [] }
        let literals = SwiftLiterals(text)
        var sentences: [String] = []
        for argument in literals.secondArguments(of: "GatewayError(") {
            if let sentence = argument {
                sentences.append(sentence)
            } else {
                let places = try #require(declarations[file], "add \(file) to the table of declarations")
                for place in places {
                    let literals = SwiftLiterals(try #require(sources[place], "\(place) does not exist"))
                    sentences += literals.all.map(\.text).filter(isSentence)
                }
            }
        }
        return Set(sentences.map(firstSentence)).sorted()
    }

    /// Whether a literal is an error's sentence, or the end of one, and not another text of the same file.
    private static func isSentence(_ text: String) -> Bool {
        text.split(separator: " ").count >= 3 && (text.first?.isUppercase == true || text.hasSuffix("."))
    }

    private static func firstSentence(_ text: String) -> String {
        var sentence = text.components(separatedBy: ". ")[0]
        if sentence.hasSuffix(".…") { sentence.removeLast() }
        if sentence.hasSuffix(".") { sentence.removeLast() }
        return sentence
    }

    /// Returns the headings of the third level, and the code in the text below them.
    private static func quotations(in page: String) -> [String] {
        page.components(separatedBy: "\n## ").flatMap { chapter in
            chapter.components(separatedBy: "\n### ").dropFirst().flatMap { section -> [String] in
                let lines = section.components(separatedBy: "\n")
                return [lines[0]] + code(in: lines.dropFirst().joined(separator: " "))
            }
        }
    }

    /// Returns the text between backticks. Code between two backticks can contain single ones, which are removed.
    private static func code(in text: String) -> [String] {
        text.components(separatedBy: "``").enumerated().flatMap { part -> [String] in
            let inner = part.element.components(separatedBy: "`")
            guard part.offset % 2 == 0 else { return [inner.joined()] }
            return inner.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    /// Whether the quotation contains all constant parts of the sentence in their order.
    private static func quotes(_ quotation: String, _ sentence: String) -> Bool {
        var rest = quotation[...]
        for part in sentence.replacing("`", with: "").components(separatedBy: "…") where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}

/// The string literals of a Swift file. Literals that are joined by `+` count as one literal.
private struct SwiftLiterals {
    /// The text of each literal, with `…` in place of each interpolation, and its position in the file.
    private(set) var all: [(start: Int, text: String)] = []
    private let file: [Character]

    init(_ text: String) {
        file = Array(text)
        var index = 0
        var lastEnd: Int?
        while index < file.count {
            if isNext("//", at: index) {
                index = file[index...].firstIndex(of: "\n") ?? file.count
            } else if isNext("#\"", at: index) {
                index = (index + 2..<file.count).first { isNext("\"#", at: $0) }.map { $0 + 2 } ?? file.count
            } else if file[index] == "\"" {
                let start = index
                let text = readLiteral(&index)
                let between = lastEnd.map { String(file[$0..<start]).trimmingCharacters(in: .whitespacesAndNewlines) }
                if between == "+" { all[all.count - 1].text += text } else { all.append((start, text)) }
                lastEnd = index
            } else {
                index += 1
            }
        }
    }

    /// Returns the second argument of each call; nil for an argument that is not a literal.
    func secondArguments(of call: String) -> [String?] {
        file.indices.filter { isNext(call, at: $0) && !isInComment($0) }.compactMap { call -> String?? in
            guard var index = file[call...].firstIndex(of: ",") else { return nil }
            repeat { index += 1 } while index < file.count && file[index].isWhitespace
            return .some(all.first { $0.start == index }?.text)
        }
    }

    private func isNext(_ text: String, at index: Int) -> Bool {
        file[index] == text.first && file[index...].starts(with: text)
    }

    private func isInComment(_ index: Int) -> Bool {
        let line = file[..<index].reversed().prefix { $0 != "\n" }.reversed()
        return String(line).contains("//")
    }

    private func readLiteral(_ index: inout Int) -> String {
        let quote = isNext("\"\"\"", at: index) ? "\"\"\"" : "\""
        var text = ""
        index += quote.count
        while index < file.count, !isNext(quote, at: index) {
            if isNext("\\(", at: index) {
                skipInterpolation(&index)
                text.append("…")
            } else if file[index] == "\\", index + 1 < file.count {
                if file[index + 1] != "\n" { text.append(file[index + 1]) }
                index += 2
            } else {
                text.append(file[index])
                index += 1
            }
        }
        index += quote.count
        guard quote.count == 3 else { return text }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Moves the index from the backslash of an interpolation to the character after its closing parenthesis.
    private func skipInterpolation(_ index: inout Int) {
        index += 2
        var depth = 1
        while depth > 0, index < file.count {
            if file[index] == "\"" {
                _ = readLiteral(&index)
                continue
            }
            if file[index] == "(" { depth += 1 }
            if file[index] == ")" { depth -= 1 }
            index += 1
        }
    }
}

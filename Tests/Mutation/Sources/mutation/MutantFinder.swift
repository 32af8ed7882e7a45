import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds all mutants of a file.
///
/// Skips texts, help and logging: strings, and functions, properties and arguments whose names show that they
/// create text.
final class MutantFinder: SyntaxVisitor {
    private static let textNames: Set = [
        "description", "debugDescription", "help", "abstract", "discussion", "usage", "summary", "examples", "hint",
        "hints",
        "message", "messages", "synopsis", "configuration", "explanation", "paragraphs", "note", "advice", "text",
        "footer",
    ]
    private static let textCalls: Set = [
        "print", "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "ArgumentHelp",
        "log", "warn", "say", "note",
    ]

    private let target: String
    private let file: String
    private let text: [UInt8]
    private let lines: SourceLocationConverter
    private var functions: [(name: String, lines: ClosedRange<Int>, isInit: Bool, returns: Bool)] = []
    private var found: [Mutant] = []
    /// Variables that get their first value later, in any function: assignments to them can't be dropped.
    private var lateNames: Set<String> = []

    /// Returns all mutants of this code.
    static func mutants(of code: String, file: String, target: String) -> [Mutant] {
        let parsed = Parser.parse(source: code)
        let tree = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        let finder = MutantFinder(target: target, file: file, code: code, tree: tree)
        finder.walk(tree)
        return finder.found
    }

    private init(target: String, file: String, code: String, tree: Syntax) {
        self.target = target
        self.file = file
        self.text = Array(code.utf8)
        self.lines = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: - Functions and properties

    private func enter(_ name: String, _ node: some SyntaxProtocol, isInit: Bool = false, returns: Bool) {
        let range = bytes(of: node)
        functions.append((name, line(range.lowerBound)...line(range.upperBound), isInit, returns))
    }

    private func kind(_ name: String, _ attributes: AttributeListSyntax) -> SyntaxVisitorContinueKind {
        let isInlinable = attributes.contains { $0.trimmedDescription.hasPrefix("@inlinable") }
        return isInlinable || Self.textNames.contains(name) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let result = node.signature.returnClause?.type.trimmedDescription
        enter(node.name.text, node, returns: result != nil)
        guard kind(node.name.text, node.attributes) == .visitChildren else { return .skipChildren }
        addEarlyReturn(node.body, result: result)
        return .visitChildren
    }

    override func visitPost(_ node: FunctionDeclSyntax) { functions.removeLast() }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        enter("init", node, isInit: true, returns: false)
        return kind("init", node.attributes)
    }

    override func visitPost(_ node: InitializerDeclSyntax) { functions.removeLast() }

    override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        enter("deinit", node, returns: false)
        return .visitChildren
    }

    override func visitPost(_ node: DeinitializerDeclSyntax) { functions.removeLast() }

    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        enter("subscript", node, returns: true)
        return kind("subscript", node.attributes)
    }

    override func visitPost(_ node: SubscriptDeclSyntax) { functions.removeLast() }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        guard node.accessorBlock != nil else {
            if node.initializer == nil { noteLateNames(node.pattern) }
            return .visitChildren
        }
        enter(node.pattern.trimmedDescription, node, returns: true)
        return kind(node.pattern.trimmedDescription, [])
    }

    override func visitPost(_ node: PatternBindingSyntax) {
        if node.accessorBlock != nil { functions.removeLast() }
    }

    private func noteLateNames(_ pattern: PatternSyntax) {
        if let name = pattern.as(IdentifierPatternSyntax.self) { lateNames.insert(name.identifier.text) }
        pattern.as(TuplePatternSyntax.self)?.elements.forEach { noteLateNames($0.pattern) }
    }

    private func addEarlyReturn(_ body: CodeBlockSyntax?, result: String?) {
        guard let body, body.statements.count > 1 || result == nil && !body.statements.isEmpty else { return }
        let value =
            switch result {
            case nil: ""
            case "Bool": " false"
            case let result? where result.hasSuffix("?"): " nil"
            case let result? where result.hasPrefix("["): result.contains(":") ? " [:]" : " []"
            default: nil as String?
            }
        guard let value else { return }
        let place = body.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset
        add(.early, place..<place, " if \(Mutant.activeCode) { return\(value) };", shown: "return\(value)")
    }

    // MARK: - Skipped code

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: - Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard let function = functions.last, case .expr(let statement) = node.item else { return .visitChildren }
        var core = statement
        var ignoresErrors = false
        while true {
            if let inner = core.as(TryExprSyntax.self) {
                ignoresErrors = inner.questionOrExclamationMark == nil
                core = inner.expression
            } else if let inner = core.as(AwaitExprSyntax.self) {
                core = inner.expression
            } else if let inner = core.as(UnsafeExprSyntax.self) {
                core = inner.expression
            } else {
                break
            }
        }
        let assignment = core.as(InfixOperatorExprSyntax.self).map {
            $0.operator.is(AssignmentExprSyntax.self) || $0.operator.trimmedDescription.hasSuffix("=")
        }
        guard core.is(FunctionCallExprSyntax.self) || assignment == true && !function.isInit else {
            return .visitChildren
        }
        if let call = core.as(FunctionCallExprSyntax.self), isText(call) { return .skipChildren }
        if let call = core.as(FunctionCallExprSyntax.self), calledName(call) == "init" { return .visitChildren }
        if let left = core.as(InfixOperatorExprSyntax.self)?.leftOperand, isLate(left) { return .visitChildren }
        // The only expression of a function or closure with a result is that result.
        let isOnly = node.parent?.as(CodeBlockItemListSyntax.self)?.count == 1
        let isBody = node.parent?.parent?.parent?.is(FunctionDeclSyntax.self) == true
        let isResult =
            isOnly && (!isBody || function.returns) && assignment == nil
            && node.parent?.parent?.is(CodeBlockSyntax.self) != true
        if isResult || isOnly && isBody && function.returns { return .visitChildren }

        let code = source(bytes(of: statement))
        add(.dropped, statement, "if !\(Mutant.activeCode) { \(code) }")
        if ignoresErrors {
            add(.ignored, statement, "if \(Mutant.activeCode) { do { \(code) } catch {} } else { \(code) }")
        }
        return .visitChildren
    }

    private func isLate(_ assigned: ExprSyntax) -> Bool {
        if let names = assigned.as(TupleExprSyntax.self) { return names.elements.contains { isLate($0.expression) } }
        return assigned.as(DeclReferenceExprSyntax.self).map { lateNames.contains($0.baseName.text) } ?? false
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        guard let items = node.label.as(SwitchCaseLabelSyntax.self)?.caseItems,
            let cases = node.parent?.as(SwitchCaseListSyntax.self),
            cases.last?.as(SwitchCaseSyntax.self)?.label.is(SwitchDefaultLabelSyntax.self) == true,
            items.allSatisfy({ $0.whereClause == nil }), let last = items.last
        else { return .visitChildren }
        let place = last.endPositionBeforeTrailingTrivia.utf8Offset
        // If a case has several values, each has its own condition. Only the last one's is changed.
        add(.unmatched, place..<place, " where !\(Mutant.activeCode)", shown: "case \(last.trimmedDescription)")
        return .visitChildren
    }

    override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
        guard let item = node.catchItems.last, item.pattern != nil, item.whereClause == nil else {
            return .visitChildren
        }
        let place = item.endPositionBeforeTrailingTrivia.utf8Offset
        add(.unmatched, place..<place, " where !\(Mutant.activeCode)", shown: "catch \(item.trimmedDescription)")
        return .visitChildren
    }

    // MARK: - Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        guard case .expression(let condition) = node.condition, !condition.is(BooleanLiteralExprSyntax.self) else {
            return .visitChildren
        }
        let statement = node.parent?.parent
        if statement?.is(WhileStmtSyntax.self) == true {
            addCondition(condition, [.never])
        } else if statement?.is(GuardStmtSyntax.self) == true {
            addCondition(condition, [.negated, .always])
        } else {
            addCondition(condition, [.negated, .always, .never])
        }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        addCondition(node.condition, [.always, .never])
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        addCondition(node.condition, [.negated])
        return .visitChildren
    }

    private func addCondition(_ condition: ExprSyntax, _ rules: [Mutant.Rule]) {
        let code = source(bytes(of: condition))
        let marks = code.hasPrefix("try ") ? "try " : ""
        for rule in rules {
            let changed =
                switch rule {
                case .always: "(\(Mutant.activeCode) || (\(code)))"
                case .never: "(!\(Mutant.activeCode) && (\(code)))"
                default: "(\(Mutant.activeCode) != (\(code)))"
                }
            add(rule, condition, marks + changed)
        }
    }

    // MARK: - Expressions

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.operator.trimmedDescription
        let changes: [String: (Mutant.Rule, String)] = [
            "<": (.bound, "<="), "<=": (.bound, "<"), ">": (.bound, ">="), ">=": (.bound, ">"), "==": (.bound, "!="),
            "!=": (.bound, "=="), "&&": (.logical, "||"), "||": (.logical, "&&"), "+": (.arithmetic, "-"),
            "-": (.arithmetic, "+"), "*": (.arithmetic, "/"), "/": (.arithmetic, "*"),
        ]
        let (left, right) = (source(bytes(of: node.leftOperand)), source(bytes(of: node.rightOperand)))
        if let (rule, other) = changes[name] {
            // If this is a whole condition, another mutant negates it already.
            if name == "==" || name == "!=", node.parent?.is(ConditionElementSyntax.self) == true {
                return .visitChildren
            }
            // Texts and arrays can't be subtracted.
            if rule == .arithmetic, [left, right].contains(where: { $0.hasPrefix("\"") || $0.hasPrefix("[") }) {
                return .visitChildren
            }
            add(rule, node, "(\(Mutant.activeCode) ? (\(left)) \(other) (\(right)) : (\(left)) \(name) (\(right)))")
        } else if name == "??" {
            add(.fallback, node, "(\(Mutant.activeCode) ? (\(right)) : (\(left)) ?? (\(right)))")
        }
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add(.offByOne, node, "(\(Mutant.activeCode) ? \(node.literal.text) + 1 : \(node.literal.text))")
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add(.boolean, node, "(\(Mutant.activeCode) != \(node.literal.text))")
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if isText(node) { return .skipChildren }
        let name = calledName(node)
        if name == "min" || name == "max", node.arguments.count == 2 {
            let called = node.calledExpression
            let code = source(bytes(of: node))
            let other = source(bytes(of: called)).dropLast(3) + (name == "min" ? "max" : "min")
            let rest = code.dropFirst(source(bytes(of: called)).count)
            add(.extreme, node, "(\(Mutant.activeCode) ? \(other)\(rest) : \(code))")
        }
        return .visitChildren
    }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        node.label.map { Self.textNames.contains($0.text) } == true ? .skipChildren : .visitChildren
    }

    private func isText(_ call: FunctionCallExprSyntax) -> Bool { Self.textCalls.contains(calledName(call)) }

    private func calledName(_ call: FunctionCallExprSyntax) -> String {
        call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            ?? call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
    }

    // MARK: - Places

    private func add(_ rule: Mutant.Rule, _ node: some SyntaxProtocol, _ replacement: String, shown: String? = nil) {
        let range = bytes(of: node)
        add(rule, range, replacement, shown: shown ?? source(range))
    }

    private func add(_ rule: Mutant.Rule, _ range: Range<Int>, _ replacement: String, shown: String) {
        guard let function = functions.last else { return }
        let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        found.append(
            Mutant(
                target: target, file: file, line: line(range.lowerBound), function: function.name,
                functionLines: function.lines, rule: rule, original: words, bytes: range, replacement: replacement))
    }

    private func bytes(of node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    private func source(_ bytes: Range<Int>) -> String { String(decoding: text[bytes], as: UTF8.self) }

    private func line(_ offset: Int) -> Int { lines.location(for: AbsolutePosition(utf8Offset: offset)).line }
}

import SwiftParser
import SwiftSyntax

/// The default values of parameters, by the function's name and the label.
///
/// Only plain values are kept, and only if no two functions of that name have different ones.
struct DefaultArguments {
    private var values: [String: String?] = [:]

    init(of files: [String]) {
        for code in files {
            let visitor = Visitor(viewMode: .sourceAccurate)
            visitor.walk(Parser.parse(source: code))
            for (key, value) in visitor.found {
                let isAmbiguous = values[key].map { $0 != value } ?? false
                values[key] = .some(isAmbiguous ? nil : value)
            }
        }
    }

    func value(of function: String, label: String) -> String? { values["\(function) \(label)"] ?? nil }

    private final class Visitor: SyntaxVisitor {
        var found: [(key: String, value: String)] = []

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            add(node.name.text, node.signature)
            return .visitChildren
        }

        override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
            add("init", node.signature)
            return .visitChildren
        }

        private func add(_ name: String, _ signature: FunctionSignatureSyntax) {
            for parameter in signature.parameterClause.parameters {
                guard let value = parameter.defaultValue?.value,
                    value.is(NilLiteralExprSyntax.self) || value.is(BooleanLiteralExprSyntax.self)
                        || value.is(IntegerLiteralExprSyntax.self) || value.is(MemberAccessExprSyntax.self)
                        || value.trimmedDescription == "[]"
                else { continue }
                found.append(("\(name) \(parameter.firstName.text)", value.trimmedDescription))
            }
        }
    }
}

import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

/** A function with its place in the file: `createLog.roll` is inside `createLog`. */
export type MeasuredFunction = { readonly name: string; readonly lines: number }

/** What is looked at in one module. */
export type ModuleShape = {
  /** Functions of more than `minLines` lines, from their first to their last line, with those inside them. */
  readonly functions: readonly MeasuredFunction[]
  /** Names of values and types that this file declares and exports; what it passes on from another file is not among them. */
  readonly exports: readonly string[]
  readonly comments: string
}

/** @throws SyntaxError the text is not TypeScript */
export const measureModule = (file: string, text: string, minLines = 0): ModuleShape => {
  const parsed = parseSync(file, text)
  if (parsed.errors[0]) throw new SyntaxError(`${file}: ${parsed.errors[0].message}`)
  const entries = parsed.module.staticExports.flatMap(({ entries }) => entries)
  const own = entries.filter(({ moduleRequest }) => moduleRequest === null)
  return {
    // The tree is costly to make, and a short file has no long function.
    functions: countLines(text) > minLines ? findFunctions(parsed.program, text, minLines) : [],
    exports: [...new Set(own.flatMap(({ exportName }) => exportName.name ?? []))],
    comments: parsed.comments.map(({ value }) => value).join('\n'),
  }
}

/** A line break at the end opens no line. */
export const countLines = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression

function findFunctions(program: ESTree.Program, text: string, minLines: number): MeasuredFunction[] {
  const found: MeasuredFunction[] = []
  const path: string[] = []
  // What a function without a name is called after: the nearest of these around it; undefined where a function begins.
  const hints: (string | undefined)[] = []

  const nameAfter = (node: ESTree.Node): void => void hints.push(toName(node, text))
  const leave = (): void => void hints.pop()
  const enterFunction = (node: FunctionNode): void => {
    path.push(node.id?.name ?? hints.at(-1) ?? 'anonymous')
    hints.push(undefined)
    const lines = countLines(text.slice(node.start, node.end))
    if (lines > minLines) found.push({ name: path.join('.'), lines })
  }
  const leaveFunction = (): void => {
    path.pop()
    hints.pop()
  }

  new Visitor({
    VariableDeclarator: node => nameAfter(node.id),
    'VariableDeclarator:exit': leave,
    Property: node => nameAfter(node.key),
    'Property:exit': leave,
    MethodDefinition: node => nameAfter(node.key),
    'MethodDefinition:exit': leave,
    PropertyDefinition: node => nameAfter(node.key),
    'PropertyDefinition:exit': leave,
    AssignmentExpression: node => nameAfter(node.left),
    'AssignmentExpression:exit': leave,
    // `const close = once(() => …)` is `close`; `items.forEach(() => …)` is `items.forEach()`.
    CallExpression: node => void hints.push(hints.at(-1) ?? `${toName(node.callee, text)}()`),
    'CallExpression:exit': leave,
    ArrowFunctionExpression: enterFunction,
    'ArrowFunctionExpression:exit': leaveFunction,
    FunctionExpression: enterFunction,
    'FunctionExpression:exit': leaveFunction,
    FunctionDeclaration: enterFunction,
    'FunctionDeclaration:exit': leaveFunction,
  }).visit(program)
  return found
}

/** As it is written, where that is short and has no spaces, which part the columns of the list. */
function toName(node: ESTree.Node, text: string): string {
  if (node.type === 'Identifier') return node.name
  return /^\S{1,40}(?=\s|$)/.exec(text.slice(node.start, node.end))?.[0] ?? 'anonymous'
}

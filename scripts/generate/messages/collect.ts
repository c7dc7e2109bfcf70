/** Messages that people meet, read from the sources: arguments of the errors that are thrown and of the lines that are logged. */
import { globSync, readFileSync } from 'node:fs'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

/** One text of one place in the sources, with `…` for each value in it. */
export type FoundMessage = {
  /** The class of an error, `usageError`, `fail`, or `log`. */
  readonly kind: string
  /** @default the error has no code that can be read here */
  readonly code?: string | undefined
  /** Undefined where it is made elsewhere. */
  readonly text: string | undefined
  /** What the command line adds. */
  readonly hint?: string | undefined
  /** Path of the file. */
  readonly file: string
}

export type FoundMessages = {
  readonly messages: readonly FoundMessage[]
  /** All texts of the sources: one that is logged somewhere else than where it is written is among them. */
  readonly texts: ReadonlySet<string>
}

/** Where the code, the text and the options of an error are among its arguments, and in which files. */
type Place = { readonly code?: number; readonly text: number; readonly options?: number; readonly within?: RegExp }

const places: Readonly<Record<string, Place>> = {
  SluiceError: { code: 0, text: 1 },
  FileSystemError: { code: 0, text: 2 },
  TableError: { text: 1 },
  BeanError: { code: 0, text: 1 },
  CliError: { text: 0, options: 1 },
  usageError: { text: 0 },
  // Of a command's `run`; checks and parsers have others of this name.
  fail: { text: 0, code: 1, within: /^admin\/cli\/(?!.*\bdoctor\b)/ },
  ListenError: { text: 0 },
  KerberosError: { text: 0 },
}

/** Codes of errors that always have the same one; over HTTP, then of a command. */
const codes: Readonly<Record<string, string>> = { TableError: 'unreadable, table', usageError: 'usage' }

/** Reads the sources of the server and the command line; a few hundred milliseconds. */
export const collectMessages = (): FoundMessages => {
  const files = globSync(['src/**/*.ts', 'admin/**/*.ts'], { exclude: ['**/*.gen.ts', '**/static/**'] })
  const texts = new Set<string>()
  const messages = files
    .map(file => file.replaceAll('\\', '/'))
    .sort()
    .flatMap(file => readMessages(file, readFileSync(file, 'utf8'), text => texts.add(text)))
  return { messages, texts }
}

/** @param note hears each text of the file */
export const readMessages = (file: string, source: string, note = (_text: string): void => {}): FoundMessage[] => {
  const { program } = parseSync(file, source)
  const named = new Map<string, ESTree.Expression>()
  const found: FoundMessage[] = []
  const add = (name: string, given: readonly ESTree.Node[]): void => {
    const place = places[name]
    if (place === undefined || place.within?.test(file) === false) return
    const options = toMembers(given[place.options ?? -1])
    const code = toTexts(given[place.code ?? -1] ?? options.get('code'), named)
    const [hint] = toTexts(name === 'usageError' ? given[1] : options.get('hint'), named)
    for (const text of toTexts(given[place.text], named))
      found.push({ kind: name, code: codes[name] ?? toCode(code), text, hint, file })
  }
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init) named.set(id.name, init)
    },
    Literal: ({ value }) => {
      if (typeof value === 'string') note(value)
    },
    TemplateLiteral: node => note(toTemplate(node)),
  }).visit(program)
  new Visitor({
    NewExpression: ({ callee, arguments: given }) => {
      if (callee.type === 'Identifier') add(callee.name, given)
    },
    // Of an outage: the first line about it.
    Property: ({ key, value }) => {
      if (key.type !== 'Identifier' || key.name !== 'begins') return
      for (const text of toTexts(value, named)) found.push({ kind: 'log', text, file })
    },
    CallExpression: ({ callee, arguments: given }) => {
      if (callee.type === 'Identifier') add(callee.name, given)
      if (callee.type !== 'MemberExpression' || given.length !== 2) return
      if (!/log(?:ger)?$/i.test(source.slice(callee.object.start, callee.object.end))) return
      const level = source.slice(callee.property.start, callee.property.end)
      if (!callee.computed && level !== 'warn' && level !== 'error') return
      for (const text of toTexts(given[1], named)) found.push({ kind: 'log', text, file })
    },
  }).visit(program)
  return found
}

/** Undefined where it is not written here. */
const toCode = (found: readonly (string | undefined)[]): string | undefined =>
  found.filter(code => code !== undefined).join(', ') || undefined

/** What an expression may be, as far as its file says so. */
const toTexts = (
  node: ESTree.Node | undefined,
  named: ReadonlyMap<string, ESTree.Expression>,
): (string | undefined)[] => {
  if (node?.type === 'Literal') return [String(node.value)]
  if (node?.type === 'TemplateLiteral') return [toTemplate(node)]
  if (node?.type === 'ConditionalExpression')
    return [...toTexts(node.consequent, named), ...toTexts(node.alternate, named)]
  const value = node?.type === 'Identifier' ? named.get(node.name) : undefined
  return value === undefined || value.type === 'Identifier' ? [undefined] : toTexts(value, named)
}

const toTemplate = ({ quasis }: ESTree.TemplateLiteral): string =>
  quasis.map(({ value }) => value.cooked ?? value.raw).join('…')

const toMembers = (node: ESTree.Node | undefined): ReadonlyMap<string, ESTree.Expression> =>
  new Map(
    (node?.type === 'ObjectExpression' ? node.properties : []).flatMap(member =>
      member.type === 'Property' && member.key.type === 'Identifier' ? [[member.key.name, member.value] as const] : [],
    ),
  )

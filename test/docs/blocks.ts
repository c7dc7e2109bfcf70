/**
 * The fenced blocks of a page, and what a test does with each. The first word after a fence is the language, the others
 * are options:
 *
 *     sh                     runs: one terminal for the page, blocks in their order, each must end with 0
 *     console                lines `$ command`, and below each what it prints
 *     sh server              starts in the background, and stops at the end of the page
 *     sh server=8443         the same for another server: it is ready when the port accepts connections
 *     sh server restart      the servers before it are stopped first
 *     python file=send.py    is written to that file, for a block that uses it
 *     … not-run=why-not      cannot run in a test
 *     yaml settings          is checked against the table of settings
 *     text, json, ts, …      is shown alone
 */
import { readFileSync } from 'node:fs'

/** A fenced block of a page. */
export type Block = {
  readonly page: string
  /** Line of its fence. */
  readonly line: number
  readonly language: string
  readonly code: string
  /** After the language: words, and what follows their `=`. */
  readonly words: ReadonlyMap<string, string>
}

/** A page whose blocks do not say what they are. */
export class BadBlock extends Error {
  override readonly name = 'BadBlock'
  constructor(page: string, line: number, what: string) {
    super(`${page}:${line}: ${what}`)
  }
}

/** What is shown alone: users do not type it. */
const shown =
  'text json jsonl csv yaml toml ini properties xml html css http nginx haproxy ts js diff promql dockerfile'.split(' ')
/** What people run, and so does a test. */
const typed = ['sh', 'console']
/** Programs and queries; they do not run if they are only shown in a page. */
const programs = ['python', 'java', 'go', 'sql', 'c', 'rust', 'kotlin', 'scala']

const words: Readonly<Record<string, readonly string[]>> = { sh: ['server', 'restart'], yaml: ['settings'] }
const wordsOfAll = ['file', 'not-run']

/**
 * Reads the blocks of a page in their order.
 * @param isRunElsewhere a test of its own runs the programs of the page
 * @throws BadBlock for what the convention does not know
 */
export const readBlocks = (page: string, isRunElsewhere = false): readonly Block[] =>
  parseBlocks(page, readFileSync(page, 'utf8'), isRunElsewhere)

/** As {@link readBlocks}, of a text. */
export const parseBlocks = (page: string, text: string, isRunElsewhere = false): readonly Block[] =>
  findBlocks(page, text).map(block => {
    const wrong = findFault(block, isRunElsewhere)
    if (wrong !== undefined) throw new BadBlock(page, block.line, wrong)
    return block
  })

const findFault = ({ language, words: said, code }: Block, isRunElsewhere: boolean): string | undefined => {
  if (language === '') return 'the fence has no language; expected one such as sh, console or text'
  if (![...shown, ...typed, ...programs].includes(language)) return `"${language}" is no language that is known here`
  const known = [...(words[language] ?? []), ...wordsOfAll]
  const stranger = [...said.keys()].find(word => !known.includes(word))
  if (stranger !== undefined) return `"${stranger}" means nothing behind ${language}; known are ${known.join(', ')}`
  if (said.has('file') && !/^(?!\/|.*\.\.)[\w./-]+$/.test(said.get('file') ?? ''))
    return 'file= needs a path within the directory'
  if (said.get('not-run') === '') return 'not-run= needs a reason, in-words-with-dashes'
  if (language === 'console' && !code.startsWith('$ ')) return 'a console begins with "$ " and a command'
  if (programs.includes(language) && !isRunElsewhere && !said.has('file') && !said.has('not-run'))
    return `${language} does not run by itself; write it to a file (file=NAME) and run that, or say not-run=why`
  return undefined
}

const findBlocks = (page: string, text: string): readonly Block[] => {
  const blocks: Block[] = []
  let open:
    | { readonly indent: string; readonly fence: string; readonly info: string; readonly line: number }
    | undefined
  let code: string[] = []
  let listIndent = 0
  let isAfterBlank = true
  for (const [i, row] of text.split('\n').entries()) {
    const line = i + 1
    if (open !== undefined) {
      if (row.trim() === open.fence) {
        blocks.push({ page, line: open.line, ...toInfo(open.info), code: `${code.join('\n')}\n` })
        open = undefined
      } else code.push(row.startsWith(open.indent) ? row.slice(open.indent.length) : row)
      continue
    }
    const [, indent = '', fence = '', info = ''] = /^( *)(`{3,})([^`]*)$/.exec(row) ?? []
    if (fence !== '') {
      open = { indent, fence, info, line }
      code = []
      continue
    }
    const [marker = ''] = /^ *(?:[-*]|\d+\.) +(?=\S)/.exec(row) ?? []
    const [blanks = ''] = /^ */.exec(row) ?? []
    if (row !== '' && isAfterBlank && marker === '' && blanks.length >= listIndent + 4)
      throw new BadBlock(page, line, 'an indented block; expected a fence that says what it is')
    if (marker !== '') listIndent = marker.length
    else if (row !== '' && blanks === '') listIndent = 0
    isAfterBlank = row === ''
  }
  if (open !== undefined) throw new BadBlock(page, open.line, 'a fence that does not end')
  return blocks
}

const toInfo = (info: string): Pick<Block, 'language' | 'words'> => {
  const [language = '', ...others] = info.trim().split(/ +/)
  return {
    language,
    words: new Map(
      others.map(word => {
        const [name = '', value = ''] = word.split(/=(.*)/s)
        return [name, value]
      }),
    ),
  }
}

/** A command of a console, and what the page shows below it. */
export type Command = { readonly command: string; readonly shown: string }

/** The commands of a console; one continues if its line ends with a backslash. */
export const toCommands = (code: string): readonly Command[] =>
  code
    .split(/^\$ /m)
    .slice(1)
    .map(step => {
      const [, command = '', answer = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(step) ?? []
      return { command, shown: answer }
    })

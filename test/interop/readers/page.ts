/** Pages whose snippets are run: what a reader would type, and what stands below it as the answer. */
import { readFileSync } from 'node:fs'

export type Snippet = {
  /** Its first line. */
  readonly title: string
  /** Of its fence: `python`, `sql`, `java`; empty where `$ ` begins each command. */
  readonly language: string
  readonly code: string
  /** Empty where the page shows nothing; see {@link toPattern}. */
  readonly shown: string
}

/**
 * All snippets of a page in their order. A fenced block with a language is a snippet, and the block without one that
 * follows it is its answer; a block without a language that begins with `$ ` has commands with their answers, as in the
 * README. Indented blocks (what is installed, settings) are left alone.
 */
export const readPage = (path: string): readonly Snippet[] => {
  const snippets: Snippet[] = []
  for (const [, language = '', block = ''] of readFileSync(path, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (language !== '') snippets.push({ title: firstLine(block), language, code: block, shown: '' })
    else if (block.startsWith('$ ')) snippets.push(...readCommands(block))
    else {
      const asked = snippets.pop()
      if (asked === undefined) throw new Error(`${path}: nothing is asked for\n${block}`)
      snippets.push({ ...asked, shown: toShown(block) })
    }
  }
  return snippets
}

/** Output as it is compared: no blanks at the ends of lines, no empty lines around it. */
export const toShown = (text: string): string => text.replaceAll(/[ \t\r]+$/gm, '').replace(/^\n+|\n+$/g, '')

/** What a program may print where the page shows this; `…` stands for whatever is there. */
export const toPattern = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split('…')
      .map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^]*')}$`,
  )

/** A command goes on where its line ends with a backslash. */
const readCommands = (block: string): readonly Snippet[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map(step => {
      const [, code = '', shown = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(step) ?? []
      return { title: firstLine(code), language: '', code, shown: toShown(shown) }
    })

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n'))

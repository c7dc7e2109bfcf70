/** The snippets of a page of `docs/readers/`, each with what the page shows as its answer. */
import { readBlocks, toCommands } from '../../docs/blocks.ts'
import { toShown } from '../../docs/shown.ts'

export type Snippet = {
  /** Its first line. */
  readonly title: string
  /** Of its fence: `python`, `sql`, `java`, `console` for one command. */
  readonly language: string
  readonly code: string
  /** Empty where the page shows nothing; see `toPattern`. */
  readonly shown: string
}

/**
 * All snippets of a page in their order. The text that follows a program is its answer; a console has commands with
 * theirs. Snippets that are only shown (settings, installation) are left out.
 */
export const readPage = (path: string): readonly Snippet[] => {
  const snippets: Snippet[] = []
  for (const { language, words, code, line } of readBlocks(path, true)) {
    if (words.has('not-run') || words.has('settings')) continue
    if (language === 'text') {
      const asked = snippets.pop()
      if (asked === undefined) throw new Error(`${path}:${line}: nothing is asked for`)
      snippets.push({ ...asked, shown: toShown(code) })
    } else if (language === 'console') {
      for (const { command, shown } of toCommands(code))
        snippets.push({ title: firstLine(command), language, code: command, shown: toShown(shown) })
    } else snippets.push({ title: firstLine(code), language, code, shown: '' })
  }
  return snippets
}

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n'))

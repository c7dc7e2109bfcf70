import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { type Block, toCommands } from './blocks.ts'
import { toPattern, toShown, withoutTimes } from './shown.ts'
import { openTerminal, SnippetFailed, type Terminal, type TerminalOptions } from './terminal.ts'

/** Whether something of the page is typed into a terminal. */
export const hasCommands = (blocks: readonly Block[]): boolean => blocks.some(isCommand)

const isCommand = ({ language, words }: Block): boolean =>
  (language === 'sh' || language === 'console') && !words.has('not-run') && !words.has('file')

/**
 * Does what a page says, in its order, in a fresh directory. Without a server of its own it finds one with default settings.
 * @throws SnippetFailed with page and line
 */
export const runPage = async (blocks: readonly Block[], options: TerminalOptions = {}): Promise<void> => {
  const terminal = await openTerminal(options)
  try {
    const isServed = blocks.some(({ words }) => words.has('server') && !words.has('not-run'))
    if (!isServed && hasCommands(blocks)) await terminal.serve('exec sluice serve')
    for (const block of blocks) await runBlock(terminal, block).catch(error => tellWhere(block, error))
  } finally {
    await terminal.close()
  }
}

const tellWhere = ({ page, line }: Block, error: unknown): never => {
  if (error instanceof Error) error.message = `${page}:${line}: ${error.message}`
  throw error
}

const runBlock = async (terminal: Terminal, { language, words, code, page, line }: Block): Promise<void> => {
  if (words.has('not-run')) return
  const file = words.get('file')
  if (file !== undefined) {
    const path = join(terminal.directory, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, terminal.toHere(code))
  } else if (words.has('settings')) checkSettings(code)
  else if (words.has('server')) {
    if (words.has('restart')) await terminal.stopServers()
    await terminal.serve(code, words.get('server') === '' ? undefined : Number(words.get('server')))
  } else if (language === 'sh') await terminal.run(code)
  else if (language === 'console') {
    for (const { command, shown } of toCommands(code)) {
      const [printed, want] = [await terminal.run(command), shown].map(text => toShown(withoutTimes(text)))
      if (!toPattern(want ?? '').test(printed ?? ''))
        // Vitest's message is the shorter one.
        expect(printed, `${page}:${line}: ${command}`).toBe(want)
    }
  }
}

/** @throws SnippetFailed that names each unknown key, and each invalid value */
const checkSettings = (yaml: string): void => {
  const read = (): string => yaml
  try {
    loadConfig({ argv: ['--config', 'sluice.yaml'], env: {}, cwd: '/', readFile: read })
  } catch (error) {
    throw new SnippetFailed(error instanceof Error ? error.message : String(error))
  }
}

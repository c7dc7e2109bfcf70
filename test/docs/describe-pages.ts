import { test } from 'vitest'
import { describePart } from '../suites/describe-part.ts'
import type { Block } from './blocks.ts'
import { findParts, type Part } from './parts.ts'
import { hasCommands, runPage } from './run-page.ts'
import type { TerminalOptions } from './terminal.ts'

/** How long a page may take in all. */
const timeoutMs = 300_000

/**
 * A test for each page that has something to type; skipped, with the reason, where this machine lacks what it calls.
 * @param alsoNeeded by all of them
 */
export const describePages = async (
  pages: readonly (readonly Block[])[],
  options: TerminalOptions = {},
  alsoNeeded: readonly Part[] = [],
): Promise<void> => {
  for (const blocks of pages.filter(isChecked)) {
    const parts = [...alsoNeeded, ...(await findParts(blocks))]
    const lacking = parts.find(({ missing }) => missing !== undefined)
    describePart(lacking?.part ?? '', lacking?.missing, blocks[0]?.page ?? '', () => {
      test('does what it says', { timeout: timeoutMs }, () =>
        runPage(blocks, { ...options, path: parts.flatMap(({ path = [] }) => path) }),
      )
    })
  }
}

const isChecked = (blocks: readonly Block[]): boolean =>
  hasCommands(blocks) || blocks.some(({ words }) => words.has('settings'))

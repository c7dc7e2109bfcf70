import type { RefusedLines } from '../../../src/refused/refused-answers.ts'
import type { UnreadableFile } from '../../../src/refused/refused-place.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural } from '../print/units.ts'

/** What pages of refused events say beside their rows. */
export type RefusedNotes = {
  readonly hear: (page: Partial<Pick<RefusedLines, 'unreadable' | 'waiting'>>) => void
  /** Refused events that are not in files yet. */
  readonly waiting: number
  /** Files whose rows are missing, or some of them, each once. */
  readonly unreadable: readonly UnreadableFile[]
  /** The same for people, a line each. */
  readonly lines: () => readonly string[]
}

/** Listens to pages from the first one on. */
export const createRefusedNotes = (): RefusedNotes => {
  let waiting: number | undefined
  const unreadable = new Map<string, UnreadableFile>()
  return {
    hear: page => {
      waiting ??= page.waiting
      for (const file of page.unreadable ?? []) unreadable.set(file.path, file)
    },
    get waiting() {
      return waiting ?? 0
    },
    get unreadable() {
      return [...unreadable.values()]
    },
    lines: () => [
      ...unreadable.values().map(({ path, reason }) => toSafeText(`${path} cannot be read to its end: ${reason}`)),
      ...(waiting ? [toWaitingText(waiting)] : []),
    ],
  }
}

const toWaitingText = (events: number): string =>
  `${plural(events, 'more refused event')} ${events === 1 ? 'is' : 'are'} not in a file yet: \`sluice flush now\` takes ${events === 1 ? 'it' : 'them'} there.`

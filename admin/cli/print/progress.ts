import { styleError } from './style.ts'
import { control, toTerminal } from './terminal.ts'
import { textWidth, toSafeText, truncate } from './text-width.ts'
import { toBytes, toClock } from './units.ts'

/** A line on standard error that shows how far long work is; nothing where that is not a terminal. */
export type Progress = {
  /** @param detail what is worked on right now */
  readonly update: (done: number, total: number | undefined, detail?: string) => void
  /** Removes the line. */
  readonly end: () => void
}

export type ProgressOptions = {
  readonly label: string
  /** What is counted. @default bytes */
  readonly format?: (value: number) => string
  readonly stream?: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }
  readonly now?: () => number
}

/** Redrawn at most so often. */
const redrawMs = 80
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const clearLine = control('\r\u001b[2K')

export const createProgress = (options: ProgressOptions): Progress => {
  const { label, format = toBytes, stream = process.stderr, now = Date.now } = options
  if (!stream.isTTY) return { update: () => {}, end: () => {} }
  const write = (text: string): void => void stream.write(toTerminal(text))
  const startedAt = now()
  let drawnAt = Number.NEGATIVE_INFINITY
  let frame = 0
  return {
    update: (done, total, detail = '') => {
      const at = now()
      const isEnd = total !== undefined && done >= total
      if (!isEnd && at - drawnAt < redrawMs) return
      drawnAt = at
      const columns = stream.columns ?? 80
      const head = `${styleError('cyan', total === undefined ? (frames[frame++ % frames.length] ?? '') : '▸')} ${label}`
      const figures = toFigures(done, total, (at - startedAt) / 1_000, format)
      const most = columns - 2 - textWidth(head)
      // In a narrow terminal the last figures go first: a line that wraps would not be drawn over itself.
      while (figures.length > 1 && textWidth(figures.join('  ')) > most) figures.pop()
      const room = most - textWidth(figures.join('  ')) - 1
      const bar = total === undefined ? '' : toBar(total === 0 ? 1 : done / total, Math.min(30, room))
      const left = room - textWidth(bar) - 3
      const tail = left >= 8 && detail !== '' ? `  ${truncate(toSafeText(detail), left)}` : ''
      const line = [head, bar, figures.join('  ')].filter(part => part !== '').join(' ')
      write(`${clearLine}${line}${styleError('dim', tail)}`)
    },
    end: () => write(clearLine),
  }
}

/** Shows progress for as long as the work takes. */
export const withProgress = async <T>(
  options: ProgressOptions,
  work: (update: Progress['update']) => Promise<T>,
): Promise<T> => {
  const progress = createProgress(options)
  try {
    return await work(progress.update)
  } finally {
    progress.end()
  }
}

/** A bar of thin lines, with half steps. */
const toBar = (share: number, width: number): string => {
  if (width < 5) return ''
  const halves = Math.round(Math.min(1, Math.max(0, share)) * width * 2)
  const full = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '')
  return styleError('green', full) + styleError('dim', '─'.repeat(width - full.length))
}

const toFigures = (
  done: number,
  total: number | undefined,
  seconds: number,
  format: (value: number) => string,
): string[] => {
  const rate = seconds > 0.5 ? done / seconds : 0
  const speed = rate > 0 ? [`${format(rate)}/s`] : []
  if (total === undefined) return [format(done), ...speed]
  const share = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))
  const left = rate > 0 && done < total ? [toClock((total - done) / rate)] : []
  return [`${String(share).padStart(3)} %`, ...left, `${format(done)}/${format(total)}`, ...speed]
}

import { style } from './style.ts'
import { control, writeOut } from './terminal.ts'
import { truncate } from './text-width.ts'

/** A text that is drawn over itself in a terminal, and one after another elsewhere. */
export type Screen = {
  draw(text: string): void
  /** Leaves the last text standing. */
  end(): void
}

const toTop = control('\u001b[H')
const clearScreen = control('\u001b[2J\u001b[H')
const clearToEndOfLine = control('\u001b[K')
const clearBelow = control('\u001b[J')
const hideCursor = control('\u001b[?25l')
const showCursor = control('\u001b[?25h')

export const createScreen = (title: string): Screen => {
  const { stdout } = process
  if (!stdout.isTTY) return { draw: text => void writeOut(`${text}\n\n`), end: () => {} }
  let isFirst = true
  const restore = (): void => void writeOut(showCursor)
  const onInterrupt = (): void => {
    restore()
    writeOut('\n')
    process.exit(0)
  }
  process.once('SIGINT', onInterrupt)
  return {
    draw: text => {
      const rows = Math.max(4, (stdout.rows ?? 24) - 1)
      const clock = new Date().toISOString().slice(11, 19)
      const head = style('bold', truncate(`${title}  ${clock}Z  Ctrl-C ends`, stdout.columns ?? 80))
      const lines = [head, '', ...text.split('\n')].slice(0, rows)
      const body = lines.map(line => `${line}${clearToEndOfLine}`).join('\n')
      writeOut(`${isFirst ? hideCursor + clearScreen : toTop}${body}\n${clearBelow}`)
      isFirst = false
    },
    end: () => {
      process.off('SIGINT', onInterrupt)
      restore()
    },
  }
}

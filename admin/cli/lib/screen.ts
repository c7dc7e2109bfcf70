import { style } from './style.ts'
import { truncate } from './text-width.ts'

/** A text that is drawn over itself in a terminal, and one after another elsewhere. */
export type Screen = {
  draw(text: string): void
  /** Leaves the last text standing. */
  end(): void
}

const toTop = '\u001b[H'
const clearScreen = '\u001b[2J\u001b[H'
const clearToEndOfLine = '\u001b[K'
const clearBelow = '\u001b[J'
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'

export const createScreen = (title: string, stream: NodeJS.WriteStream = process.stdout): Screen => {
  if (!stream.isTTY) return { draw: text => void stream.write(`${text}\n\n`), end: () => {} }
  let isFirst = true
  const restore = (): void => void stream.write(showCursor)
  const onInterrupt = (): void => {
    restore()
    stream.write('\n')
    process.exit(0)
  }
  process.once('SIGINT', onInterrupt)
  return {
    draw: text => {
      const rows = Math.max(4, (stream.rows ?? 24) - 1)
      const clock = new Date().toISOString().slice(11, 19)
      const head = style('bold', truncate(`${title}  ${clock}Z  Ctrl-C ends`, stream.columns ?? 80))
      const lines = [head, '', ...text.split('\n')].slice(0, rows)
      const body = lines.map(line => `${line}${clearToEndOfLine}`).join('\n')
      stream.write(`${isFirst ? hideCursor + clearScreen : toTop}${body}\n${clearBelow}`)
      isFirst = false
    },
    end: () => {
      process.off('SIGINT', onInterrupt)
      restore()
    },
  }
}

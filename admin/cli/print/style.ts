import { styleText } from 'node:util'
import { control } from './terminal.ts'

type Style = Parameters<typeof styleText>[0]

const paint = (format: Style, text: string, stream: NodeJS.WriteStream): string => {
  const [open = '', close = ''] = styleText(format, '\n', { stream }).split('\n')
  return open === '' ? text : `${control(open)}${text}${control(close)}`
}

/** Text in a colour where standard output is a terminal and `NO_COLOR` is not set. */
export const style = (format: Style, text: string): string => paint(format, text, process.stdout)

/** The same for standard error. */
export const styleError = (format: Style, text: string): string => paint(format, text, process.stderr)

/** Good, doubtful, bad, by one character that needs no colour. */
export const marks = {
  ok: (): string => style('green', '✓'),
  warn: (): string => style('yellow', '!'),
  bad: (): string => style('red', '✗'),
} as const

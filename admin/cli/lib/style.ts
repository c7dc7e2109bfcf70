import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Text in a colour where standard output is a terminal and `NO_COLOR` is not set. */
export const style = (format: Style, text: string): string => styleText(format, text, { stream: process.stdout })

/** The same for standard error. */
export const styleError = (format: Style, text: string): string => styleText(format, text, { stream: process.stderr })

/** Good, doubtful, bad, by one character that needs no colour. */
export const marks = {
  ok: (): string => style('green', '✓'),
  warn: (): string => style('yellow', '!'),
  bad: (): string => style('red', '✗'),
} as const

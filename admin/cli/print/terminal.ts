/** The only module that writes to standard output and standard error: no data gets to a terminal as a control sequence. */
import { once } from 'node:events'
import { escapeInLines } from '../../../src/text/control-characters.ts'

/** Of this process alone, so that data cannot have it. */
const key = crypto.randomUUID()
const ownSequence = new RegExp(`\\u001b<${key}([^>]*)>`, 'g')

/** A control sequence of ours, such as a colour, within a text that is written here. */
export const control = (sequence: string): string => `\u001b<${key}${sequence}>`

/** The text without {@link control} sequences. */
export const withoutControl = (text: string): string => text.replace(ownSequence, '')

/** The text for a terminal: our own control sequences, lines and tabs; all others are shown as escapes. */
export const toTerminal = (text: string): string =>
  text
    .split(ownSequence)
    // A split at a group gives text and sequences in turn.
    .map((part, index) => (index % 2 === 1 ? part : escapeInLines(part)))
    .join('')

const forStream = (stream: { readonly isTTY?: boolean }, text: string): string =>
  stream.isTTY ? toTerminal(text) : text.replace(ownSequence, '$1')

/** Writes to standard output. @returns false when it takes no more for now */
export const writeOut = (text: string): boolean => process.stdout.write(forStream(process.stdout, text))

/** Writes to standard error. */
export const writeError = (text: string): void => void process.stderr.write(forStream(process.stderr, text))

/** A line on standard output. */
export const printLine = (text: string): void => void writeOut(`${text}\n`)

/** A line on standard error. */
export const printErrorLine = (text: string): void => writeError(`${text}\n`)

/** Settles when standard output takes more. */
export const drained = async (): Promise<void> => void (await once(process.stdout, 'drain'))

/** Takes bytes of files for standard output, no faster than that takes them; a terminal gets them as text. */
export const createByteOutput = (): ((chunk: Uint8Array) => Promise<void>) => {
  const decoder = new TextDecoder()
  return async chunk => {
    const isTaken = process.stdout.isTTY
      ? writeOut(decoder.decode(chunk, { stream: true }))
      : process.stdout.write(chunk)
    if (!isTaken) await drained()
  }
}

/** Asks a question at the terminal. */
export const askUser = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await reader.question(toTerminal(question))
  reader.close()
  return answer
}

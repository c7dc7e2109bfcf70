import { parseTokenFile, toTokenLine } from '../../../src/http/token-file.ts'

/** The file of tokens. */
export const name = 'token-file'

export const dictionary = [
  'sha256:',
  'read',
  'write',
  'view',
  'operate',
  'send',
  ',',
  ' ',
  '#',
  '\n',
  '0123456789abcdef',
]

/** What is read can be written, and reads as the same. @throws FormatError */
export const run = (bytes: Uint8Array): void => {
  for (const entry of parseTokenFile(Buffer.from(bytes).toString('utf8'))) {
    const line = toTokenLine(entry.name, [...entry.roles], entry.sha256)
    const [again] = parseTokenFile(line)
    if (again?.sha256 !== entry.sha256 || again.roles.size !== entry.roles.size) throw new Error(`${line} is another`)
  }
}

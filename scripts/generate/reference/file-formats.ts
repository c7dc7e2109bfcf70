import { readFileSync } from 'node:fs'

type Part = { readonly title: string; readonly sources: readonly string[] }

const eventFiles: readonly Part[] = [
  { title: 'Smile', sources: ['src/formats/smile/tokens.ts'] },
  {
    title: 'Thrift',
    sources: [
      'src/formats/thrift/envelope-stream.ts',
      'src/formats/thrift/envelope.ts',
      'src/formats/thrift/reader.ts',
    ],
  },
  {
    title: 'Hadoop sequence files',
    sources: ['src/formats/sequence-file/layout.ts', 'src/formats/sequence-file/vint.ts'],
  },
  { title: 'Parquet', sources: ['src/formats/parquet/kind.ts'] },
]

const spoolFiles: readonly Part[] = [
  { title: 'The directory', sources: ['src/spool/files/spool-paths.ts'] },
  {
    title: 'Frames, of the log and the ledger',
    sources: ['src/spool/framing/framing.ts', 'src/spool/framing/format-header.ts'],
  },
  { title: 'A segment of the log', sources: ['src/spool/segment/segment-format.ts', 'src/spool/segment/record.ts'] },
  { title: 'The ledger', sources: ['src/spool/ledger/ledger-entry.ts'] },
  { title: 'Idempotency keys', sources: ['src/spool/keys/key-row.ts'] },
  { title: 'Ids of events', sources: ['src/spool/keys/id-row.ts'] },
  { title: 'Columns of Parquet files', sources: ['src/spool/parquet/schema-file.ts'] },
]

/** Layouts of event files, from the sources that read and write them. */
export const eventFormats = (): string => eventFiles.map(toSection).join('\n\n')

/** The same of the files of the spool. */
export const spoolFormats = (): string => spoolFiles.map(toSection).join('\n\n')

const toSection = ({ title, sources }: Part): string => [`### ${title}`, ...sources.map(headerOf)].join('\n\n')

/** The comment that has the layout of a format, as Markdown: what is indented in it becomes a block. */
const headerOf = (path: string): string => {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const comments = [...text.matchAll(/\/\*\*\n((?: \*.*\n)*?) \*\//g)].map(([, body = '']) =>
    body.replaceAll(/^ \* ?/gm, ''),
  )
  const header = comments.find(comment => /^ {4,}\S/m.test(comment))
  if (header === undefined) throw new Error(`${path} has no comment with a layout`)
  const body = header
    .replaceAll(/\{@link ([^}]*)\}/g, '`$1`')
    .replaceAll(/(?:^ {4,}.*\n(?:\n(?= {4}))?)+/gm, block => `\`\`\`text\n${block.replaceAll(/^ {4}/gm, '')}\`\`\`\n`)
    .trim()
  return `${body}\n\n(\`${path}\`)`
}

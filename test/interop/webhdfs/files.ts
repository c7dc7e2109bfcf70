/** The files that clients are given, and what became of them. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * Names that a URL, a shell or a form takes for something else. None with a combining mark: Hadoop's client composes
 * characters (NFC) in the path of a URL, not in its parameters, and so cannot finish a `-put` of such a name.
 */
export const hostileNames: readonly string[] = [
  'a b.txt',
  'ümläut.txt',
  '100%.txt',
  '%41.txt',
  'a%2Fb.txt',
  'a+b.txt',
  'a#b.txt',
  'a;b=c.txt',
  'a&b.txt',
  'a=b.txt',
  'q?.txt',
  "it's.txt",
  '"quoted".txt',
  '😀.txt',
  '日本.txt',
  ',~@!$()^`|<>.txt',
  'op=DELETE&recursive=true',
]

const lines = Array.from({ length: 150 }, (_, i) => `line ${i} é\n`).join('')
const big = Buffer.from(Uint8Array.from({ length: 5 << 20 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 13))

/** By their paths: `zero`, `one` and `two` of so many bytes, `big.bin` of 5 MiB, `names/` with {@link hostileNames}. */
export const contents: Readonly<Record<string, Uint8Array>> = {
  zero: Buffer.of(),
  one: Buffer.from('x'),
  two: Buffer.from('yz'),
  'lines.txt': Buffer.from(lines),
  'lines.txt.gz': gzipSync(lines),
  'big.bin': big,
  ...Object.fromEntries(hostileNames.map(name => [`names/${name}`, Buffer.from(`I am ${name}\n`)])),
}

export const writeContents = async (directory: string): Promise<void> => {
  await mkdir(join(directory, 'names'), { recursive: true })
  for (const [path, content] of Object.entries(contents)) {
    await writeFile(join(directory, path), content)
    await utimes(join(directory, path), new Date('2024-05-06T07:08:09Z'), new Date('2024-05-06T07:08:09Z'))
  }
}

/** What tells one content from another. */
export const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** The digests of all files below a directory, by their paths. */
export const digestTree = async (directory: string): Promise<Readonly<Record<string, string>>> => {
  const found: [string, string][] = []
  for (const name of (await readdir(directory, { recursive: true })).sort()) {
    const path = join(directory, name)
    if (!(await stat(path)).isDirectory()) found.push([name, digest(await readFile(path))])
  }
  return Object.fromEntries(found)
}

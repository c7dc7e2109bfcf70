/** What the collector writes to a real HDFS, read by Hadoop's shell and by Hadoop's own reader of sequence files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { toPattern, toShown } from '../../docs/shown.ts'
import { describePart } from '../../suites/describe-part.ts'
import { describeHdfs, type HdfsUrls } from '../../suites/hdfs.ts'
import { fetchClasses, makeHadoopCommands } from './hadoop-commands.ts'
import { orders, sendOrders } from './orders.ts'
import { readPage } from './page.ts'
import { writeEvents } from './stage.ts'

const timeoutMs = 600_000
type Format = 'jsonl' | 'sequencefile'

const codecs = ['none', 'gzip', 'deflate', 'zstd'] as const
const snippets = readPage('docs/readers/hadoop.md')

const describeHadoop = async (name: string, body: (hdfs: HdfsUrls) => void): Promise<void> => {
  const missing = 'skipped' in inject('hdfs') ? undefined : await fetchClasses()
  if (missing === undefined) describeHdfs(name, body)
  else describePart('readers', missing, name, () => {})
}

await describeHadoop('C3: Hadoop reads', ({ namenodeUrl, webhdfsUrl }) => {
  const root = `/readers-${process.pid}-${Date.now()}`
  let directory: string
  let run: (line: string) => Promise<string>

  /** JSON lines with gzip, and sequence files as they are by default, are those of the page. */
  const directoryOf = (format: Format, codec: string): string =>
    `${root}/${codec === (format === 'jsonl' ? 'gzip' : 'none') ? 'events' : `${format}-${codec}`}`

  const write = async (format: Format, codec: string): Promise<void> => {
    const settings = [
      `namenode.url=${namenodeUrl}`,
      `namenode.webhdfs.url=${webhdfsUrl}`,
      `collector.output.format=${format}`,
      `collector.output.compression=${codec}`,
      ...(format === 'jsonl' ? ['collector.output.envelope=false'] : []),
    ]
    const sluice = await writeEvents({ settings, outputDirectory: directoryOf(format, codec) }, sendOrders)
    await sluice.close()
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-readers-'))
    run = await makeHadoopCommands(directory, namenodeUrl)
    for (const codec of codecs) await Promise.all([write('jsonl', codec), write('sequencefile', codec)])
    for (const { code } of snippets.filter(({ language }) => language === 'java'))
      await writeFile(join(directory, 'ReadEvents.java'), code)
  }, 600_000)
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  test.each(snippets.filter(({ language }) => language === 'console'))(
    'as the page says: $title',
    { timeout: timeoutMs },
    async ({ code, shown }) => {
      const printed = await run(code.replaceAll('/events/', `${root}/events/`))
      expect(toShown(printed.replaceAll(`${root}/events/`, '/events/'))).toMatch(toPattern(shown))
    },
  )

  describe.each(codecs)('compressed by %s:', codec => {
    test.each([
      { format: 'jsonl', suffix: 'jsonl*', command: 'hdfs dfs -text' },
      { format: 'sequencefile', suffix: 'seq', command: 'java -cp "$(hadoop classpath)" ReadEvents.java' },
    ] as const)(
      'every event of $format as it was sent',
      { timeout: timeoutMs },
      async ({ format, suffix, command }) => {
        const files = `${directoryOf(format, codec)}/Order/dt=*/hour=*/*.${suffix}`
        const printed = await run(`${command} '${files}'`)
        const want = orders.map(({ name, payload }) => ({
          ...(format === 'jsonl' && { eventName: name }),
          ...payload,
          eventGranularity: 'HOURLY',
        }))
        expect(printed.trim().split('\n').map(canonical).sort()).toEqual(want.map(stringify).map(canonical).sort())
      },
    )
  })
})

const stringify = (event: Readonly<Record<string, Value>>): string => stringifyJson({ ...event })

/** The same object as the same text: integers exact, members in the order of their names. */
const canonical = (json: string): string => {
  const entries = Object.entries(parseJson(json) as Readonly<Record<string, Value>>)
  return stringifyJson(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

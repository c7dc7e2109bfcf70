import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toText } from '../bench/report.ts'
import { runTool } from '../suites/run-tool.ts'
import { openBackend } from './backend.ts'
import { createHarvest } from './harvest.ts'
import { type SoakConditions, toCheckRows, toMarkdown, toPlots, toQuarterRows } from './report.ts'
import type { Sample } from './sample.ts'
import { type SoakServer, startServer } from './server.ts'
import { soak } from './soak.ts'
import { toChecks } from './verdict.ts'

type Options = {
  readonly minutes: number
  readonly rate: number
  readonly json: string | undefined
  /** What else the reader has to know, as a sentence. */
  readonly note: string | undefined
  readonly write: boolean
}

/** The ledger of the client has an entry for each event. */
const maxEvents = 10_000_000
const outputDirectory = '/soak/events'

/** Segments are sealed and committed all the time. */
const settings = [
  'log.format=json',
  `collector.event-output-directory=${outputDirectory}`,
  'collector.diskspool.flush-interval-seconds=2',
]

const run = async (options: Options): Promise<boolean> => {
  const loadBefore = loadavg()[0] ?? 0
  const directory = await mkdtemp(join(tmpdir(), 'sluice-soak-'))
  // Also when somebody ends it early; what it started ends with it.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const backend = await openBackend(directory, say)
  let server: SoakServer | undefined
  try {
    server = await startServer(directory, [...settings, ...backend.settings])
    say(`Process ${server.pid}, ${options.minutes} minutes at ${options.rate} events/s; ${backend.description}`)
    const harvest = createHarvest(backend.fileSystem, outputDirectory)
    const { ended, ...counts } = await soak({ ...options, server, directory, harvest, say })
    const checks = toChecks(ended)
    say(`\n${toText(toQuarterRows(ended))}\n\n${toText(toCheckRows(checks))}`)
    const conditions: SoakConditions = {
      date: new Date().toISOString().slice(0, 10),
      command: `npm run soak -- --minutes ${options.minutes} --rate ${options.rate}`,
      rate: options.rate,
      note: options.note,
      fileSystem: backend.description,
      loadBefore,
      loadAfter: loadavg()[0] ?? 0,
      complaints: server.complaints.count,
      files: harvest.files,
      ...counts,
    }
    for (const line of server.complaints.first) say(`log: ${line}`)
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify({ conditions, ended, checks })}\n`)
    if (options.write) await writeDocs(toMarkdown(ended, checks, conditions), ended.samples, options)
    return checks.every(({ holds }) => holds !== false)
  } finally {
    server?.kill()
    await backend.close()
  }
}

const writeDocs = async (markdown: string, samples: readonly Sample[], { rate, note }: Options): Promise<void> => {
  const docs = join(import.meta.dirname, '../../docs')
  await mkdir(docs, { recursive: true })
  await writeFile(join(docs, 'soak.md'), markdown)
  const below = [`${rate} events/s by every route`, note].filter(Boolean).join('; ')
  for (const [name, svg] of Object.entries(toPlots(samples, below))) await writeFile(join(docs, name), svg)
}

const usage = `The whole server under a steady load of every kind, for an hour or longer.

    npm run soak -- [--minutes 60] [--rate 300] [--note TEXT] [--json FILE] [--write]

--write puts table and plots into docs/. Ends with 1 when the verdict does not hold.
`

const say = (line: string): void => console.log(line)

/** @throws TypeError with a code, or RangeError, for what is not understood */
const readArguments = (): Options => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '300' },
      json: { type: 'string' },
      note: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  const [minutes = 0, rate = 0] = [values.minutes, values.rate].map(Number)
  if (!(minutes > 0) || !(rate > 0)) throw new RangeError('--minutes and --rate are numbers above 0')
  if (minutes * 60 * rate > maxEvents) {
    throw new RangeError(`${minutes} minutes at ${rate} events/s are more than ${maxEvents} events`)
  }
  return { minutes, rate, json: values.json, note: values.note, write: values.write }
}

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
await runTool(usage, async () => {
  const options = readArguments()
  process.exit((await run(options)) ? 0 : 1)
})

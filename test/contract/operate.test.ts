/** What docs/operate.md and docs/upgrade.md say in figures, files and sentences, against what is there. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { encodeHeader, type FormatName, formats, UnknownFormat } from '../../src/spool/framing/format-header.ts'
import { frameHeaderBytes } from '../../src/spool/framing/framing.ts'
import type { SpoolSettings } from '../../src/spool/spool-settings.ts'
import { createEvent, eventBytes } from '../bench/events.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { openTestSpool, startMs } from '../suites/spool.ts'

const root = join(import.meta.dirname, '../..')
let operate = ''
let upgrade = ''
beforeAll(async () => {
  operate = await readFile(join(root, 'docs/operate.md'), 'utf8')
  upgrade = await readFile(join(root, 'docs/upgrade.md'), 'utf8')
})

/** Cells of the rows of a page whose first cell begins so. */
const rowsOf = (page: string, first: RegExp): string[][] =>
  page
    .split('\n')
    .filter(line => first.test(line))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )

test.each(['deploy/haproxy/haproxy.cfg', 'deploy/nginx/sluice.conf'])(
  'docs/operate.md leads to %s, which is shipped and tested',
  async path => {
    await stat(join(root, path))
    expect(operate).toContain(`[\`${path}\`](../${path})`)
  },
)

describe('the size of the disk', () => {
  /** Bytes beside those that were sent, of each event and of a key, by the page. */
  const said = (): { readonly event: number; readonly key: number } => ({
    event: Number(/bytes of an event as sent \+ (\d+)\)/.exec(operate)?.[1]),
    key: Number(/`Idempotency-Key` take (\d+) more/.exec(operate)?.[1]),
  })

  test('the table is what the formula gives', () => {
    const rows = rowsOf(operate, /^\| [\d,]+ \| [\d,]+ B \|/)
    expect(rows.length).toBe(6)
    for (const [rate = '', bytes = '', ...cells] of rows) {
      const number = (text: string): number => Number(text.replace(/[^\d.]/g, ''))
      const wanted = [1, 8, 24, 72].map(
        hours => (number(rate) * 3_600 * hours * (number(bytes) + said().event) + 1e9) / 1e9,
      )
      expect(cells.map(number)).toEqual(wanted.map(gigabytes => Number(gigabytes.toFixed(gigabytes < 9.5 ? 1 : 0))))
    }
  })

  let directory = ''
  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** Bytes that the spool has on the disk for each event, as received and once it is sealed. */
  const measure = async (bytes: number, perRequest: number, settings: Partial<SpoolSettings>, key?: string) => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-size-'))
    const { spool } = await openTestSpool({
      disk: createNodeDisk({ directory }),
      fileSystem: createMemoryFileSystem(),
      // Nothing is sealed while the log is measured.
      settings: { ...settings, flushEnabled: false, maxUncommittedEvents: events + 1 },
    })
    let sent = 0
    for (let i = 0; i < events; i += perRequest) {
      const texts = Array.from({ length: perRequest }, (_, k) => createEvent(i + k, bytes, 'PageView'))
      const body = new TextEncoder().encode(perRequest === 1 ? texts[0] : `[${texts.join()}]`)
      sent += body.length
      const outcome = { accepted: perRequest, rejected: 0, errors: [] }
      await spool.append({
        api: 'POST_Json_API',
        format: 'json',
        body,
        events: texts.map((_, index) => ({ index, name: 'PageView', date: startMs, granularity: 'HOURLY' as const })),
        ...(key === undefined ? {} : { idempotency: { key: `${key}${i}`, fingerprint: 'f'.repeat(43), outcome } }),
      })
    }
    const log = await bytesIn(join(directory, 'log'))
    // Local copies of what is committed stay for a while.
    await spool.processLeftBelowFiles()
    const sealed = await bytesIn(join(directory, 'sealed'))
    await spool.close()
    await rm(directory, { recursive: true })
    expect(sealed).toBeGreaterThan(0)
    return { log: (log - sent) / events, sealed: (sealed - sent) / events }
  }
  const events = 500
  const bytesIn = async (path: string): Promise<number> =>
    (await Promise.all((await readdir(path)).map(async name => (await stat(join(path, name))).size))).reduce(
      (sum, size) => sum + size,
      0,
    )

  test.each([
    [{ outputFormat: 'native' }, 1],
    [{ outputFormat: 'jsonl' }, 1],
    [{ outputFormat: 'jsonl' }, 100],
    [{ outputFormat: 'jsonl', outputCodec: 'gzip' }, 1],
    [{ outputFormat: 'parquet' }, 1],
    [{ outputFormat: 'sequencefile' }, 1],
  ] as const)('an event takes no more than the page says: %j, %i in a request', async (settings, perRequest) => {
    for (const bytes of [eventBytes, 1_000]) {
      const { log, sealed } = await measure(bytes, perRequest, settings)
      expect(log).toBeLessThanOrEqual(said().event)
      expect(sealed).toBeLessThanOrEqual(said().event)
    }
  })

  test('nor a key, and neither much less', async () => {
    const plain = await measure(eventBytes, 1, {})
    const keyed = await measure(eventBytes, 1, {}, '0b1c2d3e-4f50-6172-8394-a5b6c7d8')
    expect(plain.log).toBeGreaterThan(said().event * 0.8)
    expect(keyed.log - plain.log).toBeLessThanOrEqual(said().key)
    expect(keyed.log - plain.log).toBeGreaterThan(said().key * 0.8)
  })
})

describe('docs/upgrade.md', () => {
  const byFile: Readonly<Record<string, FormatName>> = {
    '`format`': 'spool',
    '`destination`': 'destination',
    '`ledger`': 'ledger',
    '`log/*.log`': 'segment',
    '`lists/*.list`': 'list',
    '`keys/*.keys`': 'keys',
    '`ids/*.ids`': 'ids',
    '`schemas`': 'schemas',
  }

  test('says what this version writes and reads', () => {
    const rows = rowsOf(upgrade, /^\| `/)
    expect(rows.map(([file]) => file)).toEqual(Object.keys(byFile))
    for (const [file = '', , first = '', second = '', writes = '', reads] of rows) {
      const format = byFile[file] ?? 'spool'
      const header = JSON.parse(Buffer.from(encodeHeader(format).subarray(frameHeaderBytes)).toString())
      expect(header).toEqual({ format, version: Number(writes) })
      const oldest = Number([first, second, writes].find(version => version !== '–'))
      const all = Array.from({ length: formats[format].reads - oldest + 1 }, (_, i) => oldest + i)
      expect(reads).toBe(all.join(', '))
    }
  })

  test('has the sentence of the refusal', () => {
    expect(upgrade).toContain(`Sluice cannot start. ${new UnknownFormat('ledger', 'ledger', 5).message}\n`)
  })
})

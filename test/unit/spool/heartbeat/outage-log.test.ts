import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

type Line = { readonly level: string; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }

/** A spool whose file system is unavailable until the test says otherwise, and its log. */
const start = async () => {
  const lines: Line[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const fault: { code: 'unavailable' | 'denied' | undefined; operation?: string } = { code: 'unavailable' }
  const fileSystem = createMemoryFileSystem({
    fail: (operation, path) =>
      fault.code !== undefined && (fault.operation ?? operation) === operation
        ? new FileSystemError(fault.code, path, `Cannot ${operation} "${path}": nobody answers`)
        : undefined,
  })
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const opened = await openTestSpool({ disk: createTearingDisk(), fileSystem, log })
  const outage = (): string[] =>
    lines
      .filter(({ message }) => message.startsWith('the file system'))
      .map(({ level, message, fields }) => `${level} ${message.replace(/[:;].*/, '')} ${String(fields['awaySeconds'])}`)
  return { ...opened, lines, fault, outage }
}

const away = 'warn the file system does not answer 0'
const still = (seconds: number): string => `warn the file system still does not answer ${seconds}`
const back = (seconds: number): string => `info the file system answers again ${seconds}`

describe('an outage of the file system', () => {
  test('is said when it begins, once a minute, and when it is over, and nothing else is', async () => {
    const { spool, clock, beat, lines, fault, outage } = await start()
    await spool.append(jsonBatch([{ n: 1 }, { n: 2 }]))
    clock.ms += 30_000
    await beat()
    for (let second = 0; second < 150; second++) {
      clock.ms += 1_000
      await beat()
    }
    expect(outage().slice(0, 3)).toEqual([away, still(60), still(120)])
    expect(lines.filter(({ level }) => level !== 'debug')).toHaveLength(3)
    fault.code = undefined
    clock.ms += 60_000
    await beat()
    expect(outage().at(-1)).toMatch(/^info the file system answers again \d+$/)
    expect(outage().filter(line => line.startsWith('info'))).toHaveLength(1)
  })

  test('is said at the start, with why, what is done meanwhile, what waits, and which setting', async () => {
    const { beat, lines } = await start()
    await beat()
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: {
          reason: expect.stringMatching(/^Cannot .* nobody answers$/),
          fileSystem: 'memory:///',
          awaySeconds: 0,
          files: 0,
          events: 0,
          bytes: 0,
        },
        message:
          'the file system does not answer: events are accepted and wait on the local disk; check namenode.url and namenode.webhdfs.url',
      },
    ])
  })

  test('ends also where nothing waits', async () => {
    const { clock, beat, fault, outage } = await start()
    await beat()
    fault.code = undefined
    clock.ms += 60_000
    await beat()
    expect(outage()).toEqual([away, still(60), back(60)])
  })

  test('ends with a refusal: that is an answer', async () => {
    const { spool, clock, beat, fault, outage } = await start()
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 30_000
    await beat()
    fault.code = 'denied'
    clock.ms += 30_000
    await beat()
    expect(outage()).toEqual([away, back(30)])
  })

  test('is not over because the server stops', async () => {
    const { spool, clock, beat, outage } = await start()
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 30_000
    await beat()
    await spool.close()
    expect(outage()).toEqual([away])
  })

  test('of the data nodes alone is one outage, though the name node answers', async () => {
    const { spool, clock, beat, fault, outage } = await start()
    fault.operation = 'create'
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 30_000
    await beat()
    // Long enough for the look at the temporary directory, which succeeds.
    for (let minute = 0; minute < 3; minute++) {
      clock.ms += 3_600_000
      await beat()
    }
    expect(outage().filter(line => line.startsWith('info'))).toEqual([])
    expect(outage().filter(line => line === away)).toHaveLength(1)
  })
})

describe('what is committed', () => {
  test('is one line for each flush; its files are lines for debugging', async () => {
    const { spool, clock, beat, lines, fault } = await start()
    fault.code = undefined
    await spool.append(jsonBatch([{ n: 1 }, { n: 2 }]))
    await spool.append(jsonBatch([{ n: 3 }], { name: 'Other' }))
    clock.ms += 30_000
    await beat()
    const files = lines.filter(({ message }) => message === 'file committed')
    expect(files.map(({ level, fields }) => [level, fields['events']])).toEqual([
      ['debug', 2],
      ['debug', 1],
    ])
    const bytes = files.reduce((sum, { fields }) => sum + Number(fields['bytes']), 0)
    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([
      { level: 'info', message: 'files committed', fields: { files: 2, events: 3, bytes, failures: 0 } },
    ])
  })

  test('what is refused for another reason is said as before', async () => {
    const { spool, clock, beat, lines, fault } = await start()
    fault.code = 'denied'
    fault.operation = 'create'
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 30_000
    await beat()
    const messages = lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)
    expect(messages).toEqual(['error a file was quarantined'])
  })
})

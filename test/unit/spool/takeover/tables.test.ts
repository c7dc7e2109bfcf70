import { describe, expect, test } from 'vitest'
import { removeQuarantined } from '../../../../src/spool/quarantine/quarantine.ts'
import type { AdoptedLog } from '../../../../src/spool/takeover/adopt-log.ts'
import { CopyAway } from '../../../../src/spool/tool/offline.ts'
import { replayQuarantine } from '../../../../src/spool/tool/replay.ts'
import { allIsWell, type Verdict } from '../../../suites/ledger-of-client.ts'
import { createLineage, type Lineage } from './table-lineage.ts'

/** What the tables have, once each. */
const verdictOf = async ({ client, rowsOf, removed }: Lineage): Promise<Verdict> =>
  client.compare([...(await rowsOf('A')), ...(await rowsOf('B')), ...removed])

const expectAllSent = async (lineage: Lineage, adopted: AdoptedLog | undefined): Promise<void> => {
  expect(adopted).toMatchObject({ left: 0, lost: [] })
  expect(await verdictOf(lineage)).toEqual(allIsWell)
}

/** A collector whose tables are there. */
const createFilled = async (settings: Parameters<typeof createLineage>[0] = {}): Promise<Lineage> => {
  const lineage = await createLineage(settings)
  await lineage.append('A', 'B')
  await lineage.pass()
  return lineage
}

/** A table refuses, or takes again, and the collector knows. */
const refuse = async (lineage: Lineage): Promise<void> => {
  await lineage.refuse('A')
  await lineage.restart()
}
const repair = async (lineage: Lineage): Promise<void> => {
  await lineage.repair('A')
  await lineage.restart()
}

const namesOf = async (lineage: Lineage, kind: RegExp): Promise<readonly string[]> => {
  const list = (await lineage.running()?.spool.quarantine.list()) ?? []
  return list.map(({ name }) => name).filter(name => kind.test(name))
}

describe('R27: after a takeover each event is in its table once', () => {
  const requests: Readonly<Record<string, readonly (readonly string[])[]>> = {
    'in requests of their own': [['A'], ['B']],
    'in one request with others': [['B', 'A', 'B'], ['A']],
    'alone in their segment': [['A'], ['A', 'A']],
  }
  test.each(Object.keys(requests))('those that their table had refused, %s, though later ones are in it', async how => {
    const lineage = await createFilled()
    await refuse(lineage)
    for (const types of requests[how] ?? []) await lineage.append(...types)
    await lineage.pass()
    await repair(lineage)
    await lineage.append('A', 'B')
    await lineage.pass()
    expect((await lineage.rowsOf('A')).length).toBe(2)
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those that it refuses still wait in quarantine, and come once it is repaired', async () => {
    const lineage = await createFilled()
    await refuse(lineage)
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.lose()
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    await lineage.repair('A')
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of a segment that could not be sealed', async () => {
    const lineage = await createFilled()
    lineage.unsealable.add(2)
    await lineage.append('A', 'B')
    for (let attempt = 0; attempt < 5; attempt++) await lineage.pass()
    expect(await namesOf(lineage, /^segment-2\.log$/)).toHaveLength(1)
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test.each(['first', 'last'])('those that the lost disk could not read: the %s of their segment', async which => {
    const lineage = await createFilled()
    for (const types of [['A'], ['B', 'A'], ['B']]) await lineage.append(...types)
    const path = 'log/0000000002.log'
    const bytes = lineage.disk().contents(path).slice()
    const at = Buffer.from(bytes)[which === 'first' ? 'indexOf' : 'lastIndexOf']('"n"')
    bytes[at] = 0x58
    lineage.disk().overwrite(path, bytes)
    await lineage.pass()
    expect(await namesOf(lineage, /^segment-2-\d+\.damaged$/)).toHaveLength(1)
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of a file whose table is gone, in the table that has its name now', async () => {
    const lineage = await createFilled({ snapshotMs: 200_000 })
    await lineage.append('A')
    await lineage.pass()
    for (const n of await lineage.drop('A')) lineage.removed.add(n)
    for (let minute = 0; minute < 4; minute++) await lineage.pass()
    expect(lineage.running()?.spool.stats()).toMatchObject({ quarantinedFiles: 1 })
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of a file in a table that refuses by now, while its segment waits for another file', async () => {
    const lineage = await createFilled()
    lineage.denied.add('B')
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.refuse('A')
    await lineage.lose()
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    // Its next start finds no copy of the file that it did not make.
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    await lineage.repair('A')
    lineage.denied.clear()
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of a file at its place, though its segment cannot be sealed again for a while', async () => {
    const lineage = await createFilled({ snapshotMs: 86_400_000 })
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.lose()
    lineage.unsealable.add(2)
    await expect(lineage.goOn()).rejects.toThrow('It does not end')
    lineage.unsealable.clear()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of files at their places whose table refuses by now', async () => {
    const lineage = await createFilled({ snapshotMs: 86_400_000 })
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.refuse('A')
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of a file at its place, whose table refused when the log was taken over, and is removed later', async () => {
    const lineage = await createFilled({ snapshotMs: 86_400_000 })
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.refuse('A')
    lineage.held.add('A')
    await lineage.lose()
    await expect(lineage.goOn()).rejects.toThrow('It does not end')
    for (const n of await lineage.drop('A')) lineage.removed.add(n)
    lineage.held.clear()
    // There is no copy of the file on this disk: the log in HDFS has its events.
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('those of files that were on their way, and whose table refuses by now, are set aside until it does not', async () => {
    const lineage = await createFilled()
    lineage.denied.add('A')
    await lineage.append('A', 'B')
    await lineage.pass()
    lineage.denied.clear()
    await lineage.refuse('A')
    await lineage.lose()
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    await lineage.repair('A')
    await expectAllSent(lineage, await lineage.goOn())
  })
})

describe('R27: after a takeover a file that was on its way holds up no other one where its table refuses by now', () => {
  /** A takeover of a collector with such a file of A, behind it events of B; what it came to, and what B has then. */
  const takeOver = async (fate: 'renamed' | 'not renamed' | 'gone') => {
    const lineage = await createFilled()
    lineage.interrupted.set('A', fate)
    await lineage.append('A', 'B')
    await lineage.pass()
    await lineage.append('B')
    await lineage.refuse('A')
    await lineage.lose()
    lineage.interrupted.clear()
    return { lineage, adopted: await lineage.goOn() }
  }
  test.each(['renamed', 'not renamed'] as const)('it is part of the table all the same: %s', async fate => {
    const { lineage, adopted } = await takeOver(fate)
    await expectAllSent(lineage, adopted)
  })

  test('one that is gone is set aside until the table does not', async () => {
    const { lineage, adopted } = await takeOver('gone')
    expect(adopted).toMatchObject({ left: 1 })
    expect(await lineage.rowsOf('B')).toHaveLength(3)
    await lineage.repair('A')
    await expectAllSent(lineage, await lineage.goOn())
  })
})

describe('R27: what a person has decided about does not come back with a takeover', () => {
  /** Files of both types are refused, and the log of their segment stays. */
  const createDenied = async (): Promise<Lineage> => {
    const lineage = await createFilled()
    for (const type of ['A', 'B']) lineage.denied.add(type)
    await lineage.append('A', 'B')
    await lineage.pass()
    lineage.denied.clear()
    return lineage
  }
  const ways = {
    'while the server runs': (lineage: Lineage, names: readonly string[]) =>
      lineage.running()?.spool.quarantine.remove(names),
    'while no server runs': async (lineage: Lineage, names: readonly string[]) => {
      lineage.end()
      await lineage.offline(spool => removeQuarantined(spool, names))
    },
  } as const

  test.each(Object.entries(ways))('a file that was removed %s', async (_, remove) => {
    const lineage = await createDenied()
    await remove(lineage, await namesOf(lineage, /-2-0\.parquet$/))
    lineage.removed.add(2)
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('a file that was removed, where its table refuses by now', async () => {
    const lineage = await createDenied()
    await ways['while the server runs'](lineage, await namesOf(lineage, /-2-0\.parquet$/))
    lineage.removed.add(2)
    await lineage.refuse('A')
    await lineage.lose()
    await lineage.goOn()
    await lineage.repair('A')
    await lineage.goOn()
    expect(await lineage.rowsOf('A')).toEqual([0])
    expect(await verdictOf(lineage)).toEqual(allIsWell)
  })

  test.each(Object.entries(ways))('a piece that was removed %s', async (_, remove) => {
    const lineage = await createFilled()
    await refuse(lineage)
    lineage.denied.add('B')
    await lineage.append('A')
    await lineage.append('A', 'B')
    await lineage.pass()
    lineage.denied.clear()
    await lineage.repair('A')
    const [first = ''] = await namesOf(lineage, /^segment-2-\d+\.damaged$/)
    await remove(lineage, [first])
    lineage.removed.add(2)
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('a piece that was removed where its log had been taken over, and waited for that', async () => {
    const lineage = await createFilled()
    await refuse(lineage)
    await lineage.append('A')
    await lineage.pass()
    await lineage.lose()
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    const [path = ''] = lineage.disk().paths.filter(one => /^_quarantine\/.*\.damaged$/.test(one))
    await lineage.offline(spool => removeQuarantined(spool, [path.slice('_quarantine/'.length)]))
    lineage.removed.add(2)
    await lineage.repair('A')
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('the part of a request that was taken in again, when another table refuses another part of it', async () => {
    const lineage = await createFilled()
    await refuse(lineage)
    lineage.denied.add('B')
    await lineage.append('B', 'A', 'B')
    await lineage.pass()
    await lineage.repair('A')
    lineage.end()
    await lineage.offline(spool => replayQuarantine(spool))
    await lineage.refuse('B')
    await lineage.lose()
    lineage.denied.clear()
    expect(await lineage.goOn()).toMatchObject({ left: 1 })
    await lineage.repair('B')
    await lineage.lose()
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('a file whose table is gone, and whose events were taken in again while no server ran', async () => {
    const lineage = await createFilled({ snapshotMs: 200_000 })
    await lineage.append('A', 'B')
    await lineage.pass()
    lineage.denied.add('B')
    await lineage.append('B')
    for (const n of await lineage.drop('A')) lineage.removed.add(n)
    for (let minute = 0; minute < 4; minute++) await lineage.pass()
    expect(lineage.running()?.spool.stats()).toMatchObject({ quarantinedFiles: 2 })
    lineage.end()
    const replayed = await lineage.offline(spool => replayQuarantine(spool))
    expect(replayed.map(({ events }) => events)).toEqual([1])
    await lineage.lose()
    lineage.denied.clear()
    await expectAllSent(lineage, await lineage.goOn())
  })
})

describe('what no server runs on', () => {
  test('is not changed where another collector has its log, and is set aside', async () => {
    const lineage = await createFilled()
    await refuse(lineage)
    await lineage.append('A')
    await lineage.pass()
    lineage.end()
    const disk = lineage.disk()
    await lineage.take()
    const work = lineage.offline(spool => replayQuarantine(spool), disk)
    await expect(work).rejects.toThrow(
      /Another collector has taken over .*: nothing was changed\. .* set aside in memory\/fenced\//,
    )
    expect(disk.paths.filter(path => path.startsWith('_quarantine/'))).toEqual([])
    await lineage.repair('A')
    await expectAllSent(lineage, await lineage.goOn())
  })

  test('is not changed while HDFS is away', async () => {
    const lineage = await createFilled()
    await refuse(lineage)
    await lineage.append('A')
    await lineage.pass()
    lineage.end()
    lineage.away.add('/events/_log')
    await expect(lineage.offline(spool => replayQuarantine(spool))).rejects.toThrow(CopyAway)
    lineage.away.clear()
    expect((await lineage.offline(spool => replayQuarantine(spool))).map(({ events }) => events)).toEqual([1])
  })
})

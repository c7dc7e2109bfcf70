import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readServerStatus } from '../../admin/cli/server/server-status.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { TestServer } from '../suites/admin.ts'
import { findBarriers } from '../suites/axe.ts'
import { describeBrowser } from '../suites/browser.ts'
import { createConsoles } from '../suites/console.ts'
import { eventually } from '../suites/eventually.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createTearingDisk, type TearingDiskOptions } from '../suites/tearing-disk.ts'

/** Where pictures go, for people to look at. @default none are made */
const pictures = process.env['SCREENSHOTS']

const eio = (): Error => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

type Trouble = {
  readonly of: string
  readonly tile: string
  readonly word: string
  readonly set?: readonly string[]
  readonly disk?: TearingDiskOptions
  readonly isAway?: boolean
  readonly cause: RegExp
  readonly meaning: RegExp
  readonly command: string
}

const troubles: readonly Trouble[] = [
  {
    of: 'HDFS away',
    tile: 'filesystem',
    word: 'Unavailable',
    isAway: true,
    cause: /^Files do not reach the file system: name node nn:9870 failed with ECONNREFUSED \(Cannot /,
    meaning: /^Events are accepted and kept on this disk/,
    command: 'sluice doctor',
  },
  {
    of: 'broker away',
    tile: 'realtime',
    word: 'Unavailable',
    set: ['realtime.broker=amqp://127.0.0.1:1', 'realtime.events=Click'],
    cause: /^Events do not reach the broker: amqp:\/\/127\.0\.0\.1:1.* is unavailable: .*ECONNREFUSED/,
    meaning: /the file system gets all of them\.$/,
    command: 'sluice realtime status',
  },
  {
    of: 'disk below mark',
    tile: 'intake',
    word: 'Refusing',
    set: ['collector.diskspool.min-free-bytes=5000000000'],
    disk: { freeBytes: () => 1e9 },
    cause: /^Events are refused: only 1000 MB are free in .*; collector\.diskspool\.min-free-bytes requires 5000 MB$/,
    meaning: /^Senders get 503 and have to retry/,
    command: 'sluice doctor',
  },
  {
    of: 'sealing failing',
    tile: 'spool',
    word: 'Sealing fails',
    disk: { fail: (_, path) => (path.startsWith('sealed/') ? eio() : undefined) },
    cause: /^Events cannot be made into files: EIO: i\/o error, read$/,
    meaning: /^Events are accepted and kept on this disk/,
    command: 'sluice doctor',
  },
]

/** Some minutes of events, of which the disk fills. */
const work = async (server: TestServer): Promise<void> => {
  for (let minute = 0; minute < 5; minute++) {
    await server
      .server('/rest/1.0/event', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '[{"eventName":"Click","payload":{"n":1}}]',
      })
      .then(response => response.text())
    server.clock.ms += 60_000
    await server.beat()
    server.tick()
  }
}

describeBrowser('U5: the tile of what is wrong', browser => {
  const { start, open } = createConsoles(browser)

  test.each(troubles)(
    '$of: cause first, since when, what it means, what to do, as sluice status has it',
    async trouble => {
      const { of, tile, word, set = [], disk, isAway = false, cause, meaning, command } = trouble
      let free = 100e9
      const fileSystem = createMemoryFileSystem({
        fail: (_, path) =>
          isAway
            ? new FileSystemError(
                'unavailable',
                path,
                `Cannot create "${path}": name node nn:9870 failed with ECONNREFUSED`,
              )
            : undefined,
      })
      const filling = { freeBytes: () => (free -= 10e6), ...disk }
      const server = await start({ set, disk: createTearingDisk(filling), fileSystem })
      await work(server)
      const told = await eventually(async () => {
        const found = (await readServerStatus(server.rpc)).problems.find(({ part }) => part === tile)
        expect(found?.problem).toMatch(cause)
        return found
      })
      expect(told).toMatchObject({
        problem: expect.stringMatching(cause),
        meaning: expect.stringMatching(meaning),
        command,
        since: expect.stringMatching(/^2026-01-02T03:0/),
      })
      const page = await open(server)
      const element = page.locator(`[data-item=${tile}]`)
      await element.locator('.word', { hasText: word }).waitFor()
      expect(await element.locator('.cause').textContent()).toBe(told?.problem)
      expect(await element.locator('.since').textContent()).toMatch(/^For \d+\smin/)
      const text = await element.textContent()
      for (const part of [told?.meaning, told?.advice, told?.command, told?.runbook]) expect(text).toContain(part)
      expect(await page.locator('.headline').textContent()).toContain(word.toLowerCase())
      expect(await findBarriers(page)).toEqual([])
      if (pictures === undefined) return
      mkdirSync(pictures, { recursive: true })
      for (const width of [1280, 400]) {
        await page.setViewportSize({ width, height: 900 })
        await page.screenshot({ path: join(pictures, `problem-${of.replaceAll(' ', '-').toLowerCase()}-${width}.png`) })
      }
    },
  )
})
